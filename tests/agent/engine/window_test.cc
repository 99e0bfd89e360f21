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
  Window one({1, 2});
  one.RecordStatement(1, Outcome{.kind = OutcomeKind::kRows}, 1000);
  one.RecordError(0, Failure("40001"));
  Window two({1, 2});
  two.RecordStatement(1, Outcome{.kind = OutcomeKind::kChanged}, 3000);
  two.RecordError(0, Failure("40001"));
  two.RecordError(Window::kConnecting, Failure("lost"));
  one.Add(two);
  EXPECT_EQ(one.statements[1].count(), 2U);
  EXPECT_EQ(one.statements[1].sum_ns(), 4000U);
  EXPECT_EQ(one.reads, 1U);
  EXPECT_EQ(one.writes, 1U);
  EXPECT_EQ((one.errors[{"40001", 0}].count), 2U);
  EXPECT_EQ((one.errors[{"lost", Window::kConnecting}].count), 1U);
  one.Clear();
  EXPECT_EQ(one.statements[1].count(), 0U);
  EXPECT_EQ(one.reads + one.writes + one.others, 0U);
  EXPECT_TRUE(one.errors.empty());
}

// One reactor's part: busy for `busy_ns` of `loop_ns`, in `batches` of `batch_ns`.
Window LoopOf(int64_t busy_ns, int64_t loop_ns, int batches, int64_t batch_ns) {
  Window window({1, 1});
  window.busy_ns = window.busiest_busy_ns = busy_ns;
  window.loop_ns = window.busiest_loop_ns = loop_ns;
  for (int i = 0; i < batches; ++i) window.batches.Record(batch_ns);
  return window;
}

TEST(Window, AddsTheLoopsOfReactorsAndKeepsTheBusiest) {
  // 20 %, 90 % and 50 %; the longest loop is not the busiest.
  Window sum = LoopOf(200, 1000, 90, 20);
  sum.Add(LoopOf(720, 800, 9, 30));
  sum.Add(LoopOf(600, 1200, 1, 700));
  EXPECT_EQ(sum.busy_ns, 1520);
  EXPECT_EQ(sum.loop_ns, 3000);
  EXPECT_EQ(sum.busiest_busy_ns, 720);
  EXPECT_EQ(sum.busiest_loop_ns, 800);
  EXPECT_EQ(sum.batches.count(), 100U);
  EXPECT_EQ(sum.batches.PercentileNs(90), 20);
  EXPECT_EQ(sum.batches.PercentileNs(99), 30);
  EXPECT_EQ(sum.batches.max_ns(), 700);
  sum.Clear();
  EXPECT_EQ(sum.busy_ns + sum.loop_ns + sum.busiest_busy_ns + sum.busiest_loop_ns, 0);
  EXPECT_EQ(sum.batches.count(), 0U);
}

TEST(Window, TheFirstReactorIsTheBusiestSoFar) {
  Window sum({1, 1});
  sum.Add(LoopOf(100, 1000, 1, 100));
  EXPECT_EQ(sum.busiest_busy_ns, 100);
  EXPECT_EQ(sum.busiest_loop_ns, 1000);
}

TEST(Window, ToProtoTellsOfTheLoops) {
  Window window = LoopOf(200, 1000, 3, 30);
  window.Add(LoopOf(720, 800, 1, 5'000'000));
  window.connected = 9;
  v1::Snapshot snapshot;
  ToProto(window, snapshot);
  const v1::Health& health = snapshot.health();
  EXPECT_EQ(health.busy_ns(), 920U);
  EXPECT_EQ(health.loop_ns(), 1800U);
  EXPECT_EQ(health.busiest_busy_ns(), 720U);
  EXPECT_EQ(health.busiest_loop_ns(), 800U);
  EXPECT_EQ(health.connected(), 9U);
  EXPECT_EQ(health.batches().counts_size(), 2) << "only what is not empty";
  CoarseHistogram batches;
  ASSERT_TRUE(AddProto(health.batches(), batches).ok());
  EXPECT_EQ(batches.count(), 4U);
  EXPECT_EQ(batches.PercentileNs(75), 30);
  EXPECT_EQ(batches.max_ns(), 5'000'000);
}

TEST(Window, ToProtoLeavesOutWhatIsEmpty) {
  Window window({2, 3});
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
