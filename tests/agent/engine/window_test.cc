#include "agent/engine/window.h"

#include <gtest/gtest.h>

#include "common/histogram/codec.h"
#include "sysfleet/v1/measurement.pb.h"

namespace sysfleet {
namespace {

Outcome Failure(const std::string& code) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kError;
  outcome.code = code;
  outcome.message = "message of " + code;
  return outcome;
}

TEST(Window, AddsAndClears) {
  Window one(1, 2);
  one.RecordStatement(1, Outcome{.kind = OutcomeKind::kRows}, 1000);
  one.RecordError(0, Failure("40001"));
  one.batch_max_ns = 5;
  Window two(1, 2);
  two.RecordStatement(1, Outcome{.kind = OutcomeKind::kChanged}, 3000);
  two.RecordError(0, Failure("40001"));
  two.RecordError(Window::kConnecting, Failure("lost"));
  two.batch_max_ns = 3;
  one.Add(two);
  EXPECT_EQ(one.statements[1].count(), 2U);
  EXPECT_EQ(one.statements[1].sum_ns(), 4000U);
  EXPECT_EQ(one.reads, 1U);
  EXPECT_EQ(one.writes, 1U);
  EXPECT_EQ((one.errors[{"40001", 0}].count), 2U);
  EXPECT_EQ((one.errors[{"lost", Window::kConnecting}].count), 1U);
  EXPECT_EQ(one.batch_max_ns, 5);
  one.Clear();
  EXPECT_EQ(one.statements[1].count(), 0U);
  EXPECT_EQ(one.reads + one.writes + one.others, 0U);
  EXPECT_TRUE(one.errors.empty());
}

TEST(Window, ToProtoLeavesOutWhatIsEmpty) {
  Window window(2, 3);
  window.number = 7;
  window.RecordStatement(2, Outcome{.kind = OutcomeKind::kNothing}, 1500);
  window.transactions[1].Record(2500);
  window.RecordError(Window::kConnecting, Failure("lost"));
  v1::Snapshot snapshot;
  ToProto(window, snapshot);
  EXPECT_EQ(snapshot.window(), 7U);
  ASSERT_EQ(snapshot.statements_size(), 1);
  EXPECT_EQ(snapshot.statements(0).index(), 2U);
  ASSERT_EQ(snapshot.transactions_size(), 1);
  EXPECT_EQ(snapshot.transactions(0).index(), 1U);
  EXPECT_EQ(snapshot.others(), 1U);
  ASSERT_EQ(snapshot.errors_size(), 1);
  EXPECT_FALSE(snapshot.errors(0).has_statement());
  EXPECT_EQ(snapshot.errors(0).example(), "message of lost");
  Histogram decoded;
  ASSERT_TRUE(AddProto(snapshot.transactions(0).latency(), decoded).ok());
  EXPECT_EQ(decoded.max_ns(), 2500);
}

}  // namespace
}  // namespace sysfleet
