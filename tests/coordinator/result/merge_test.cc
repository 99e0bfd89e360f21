#include "coordinator/result/merge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/base/status.h"
#include "common/histogram/codec.h"
#include "coordinator/result/fairness_sums.h"
#include "sysfleet/v1/agent.pb.h"
#include "sysfleet/v1/measurement.pb.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1'000'000'000;

/// Warm-up window 0, measured windows 1 to 3, then the tail.
CellShape Shape(int agents) {
  CellShape shape{.number = 7,
                  .workload = "oltp_read_write",
                  .threads = 4 * agents,
                  .warmup_windows = 1,
                  .measured_windows = 3,
                  .transaction_names = {"transfer", "audit"},
                  .statement_names = {"begin", "point_select", "commit"},
                  .percentiles = {50, 100}};
  for (int i = 0; i < agents; ++i) {
    shape.agents.push_back(fmt::format("client-{}:7070", i + 1));
    shape.connections.push_back(4);
  }
  return shape;
}

void AddLatency(google::protobuf::RepeatedPtrField<v1::Operation>& operations, uint32_t index,
                int64_t ns, int count) {
  Histogram histogram;
  for (int i = 0; i < count; ++i) histogram.Record(ns);
  v1::Operation& operation = *operations.Add();
  operation.set_index(index);
  ToProto(histogram, *operation.mutable_latency());
}

/// The window's snapshot with `transactions` of `ns`, each a begin, a point select and a commit.
v1::Snapshot MakeSnapshot(uint32_t window, int transactions, int64_t ns = 2 * kMillisecond) {
  v1::Snapshot snapshot;
  snapshot.set_sequence(window + 1);
  snapshot.set_cell(7);
  snapshot.set_window(window);
  if (transactions == 0) return snapshot;
  AddLatency(*snapshot.mutable_transactions(), 0, ns, transactions);
  for (uint32_t statement = 0; statement < 3; ++statement) {
    AddLatency(*snapshot.mutable_statements(), statement, ns / 4, transactions);
  }
  snapshot.set_reads(static_cast<uint64_t>(transactions));
  snapshot.set_others(static_cast<uint64_t>(2 * transactions));
  return snapshot;
}

void AddError(v1::Snapshot& snapshot, const std::string& code, int statement, uint64_t count,
              const std::string& example) {
  v1::ErrorCount& error = *snapshot.add_errors();
  error.set_code(code);
  if (statement >= 0) error.set_statement(static_cast<uint32_t>(statement));
  error.set_count(count);
  error.set_example(example);
}

std::vector<WindowResult> Windows(std::vector<MergedWindow> merged) {
  std::vector<WindowResult> windows;
  for (MergedWindow& one : merged) windows.push_back(std::move(one.window));
  return windows;
}

std::vector<int> Seconds(const std::vector<WindowResult>& windows) {
  std::vector<int> seconds;
  for (const WindowResult& window : windows) seconds.push_back(window.second);
  return seconds;
}

std::vector<bool> Gaps(const std::vector<WindowResult>& windows) {
  std::vector<bool> gaps;
  for (const WindowResult& window : windows) gaps.push_back(window.gap);
  return gaps;
}

void AddEffects(v1::Snapshot& snapshot, uint32_t table, uint64_t increments, uint64_t unknown) {
  v1::TableEffects& effects = *snapshot.add_effects();
  effects.set_table(table);
  effects.set_increments(increments);
  effects.set_increments_unknown(unknown);
  effects.set_inserted(10 * increments);
  effects.set_inserted_unknown(10 * unknown);
  effects.set_deleted(100 * increments);
  effects.set_deleted_unknown(100 * unknown);
}

TEST(CellMergerTest, AddsUpChangesOfTablesOverEverything) {
  CellShape shape = Shape(1);
  shape.tables = 3;
  CellMerger merger(std::move(shape));
  // The warm-up, the measured windows, and what ended after them.
  for (uint32_t window = 0; window <= 4; ++window) {
    v1::Snapshot snapshot = MakeSnapshot(window, 1);
    AddEffects(snapshot, 3, window + 1, window == 4 ? 2 : 0);
    ASSERT_TRUE(merger.Add(0, snapshot).ok());
  }
  const CellResult cell = merger.Finish(4 * kSecond);
  ASSERT_EQ(cell.table_changes.size(), 3u);
  EXPECT_EQ(cell.table_changes[0].increments, 0u);
  const TableChanges& changes = cell.table_changes[2];
  EXPECT_EQ(changes.increments, 15u);
  EXPECT_EQ(changes.inserted, 150u);
  EXPECT_EQ(changes.deleted, 1500u);
  EXPECT_EQ(changes.increments_unknown, 2u);
  EXPECT_EQ(changes.inserted_unknown, 20u);
  EXPECT_EQ(changes.deleted_unknown, 200u);
}

TEST(CellMergerTest, RefusesChangesOfATableThatTheCellDoesNotHave) {
  for (const uint32_t table : {0u, 4u}) {
    CellShape shape = Shape(1);
    shape.tables = 3;
    CellMerger merger(std::move(shape));
    v1::Snapshot snapshot = MakeSnapshot(0, 1);
    AddEffects(snapshot, table, 1, 0);
    EXPECT_THAT(Message(merger.Add(0, snapshot)),
                HasSubstr(fmt::format("changes of table {}, which is not one of 3", table)));
  }
}

TEST(CellMergerTest, MeasuresTheMeasuredWindowsAndTotalsEverything) {
  CellMerger merger(Shape(1));
  // Warm-up 1, measured 10 + 20 + 30, tail 5.
  const std::vector<int> transactions = {1, 10, 20, 30, 5};
  for (uint32_t window = 0; window < transactions.size(); ++window) {
    ASSERT_TRUE(merger.Add(0, MakeSnapshot(window, transactions[window])).ok());
  }
  const CellResult cell = merger.Finish(4 * kSecond + 10 * kMillisecond);
  EXPECT_EQ(cell.number, 7);
  EXPECT_EQ(cell.workload, "oltp_read_write");
  EXPECT_EQ(cell.threads, 4);
  EXPECT_EQ(cell.transactions, 60u);
  EXPECT_EQ(cell.reads, 60u);
  EXPECT_EQ(cell.writes, 0u);
  EXPECT_EQ(cell.others, 120u);
  EXPECT_EQ(cell.total_transactions, 66u);
  EXPECT_EQ(cell.total_reads, 66u);
  EXPECT_EQ(cell.total_others, 132u);
  EXPECT_EQ(cell.measured_seconds, 3);
  EXPECT_EQ(cell.Tps(), 20);
  EXPECT_EQ(cell.Qps(), 60);
  EXPECT_EQ(cell.latency.count(), 60u);
  EXPECT_EQ(cell.latency.sum_ns(), 120u * kMillisecond);
  EXPECT_THAT(Seconds(cell.windows), ElementsAre(0, 1, 2, 3));
  EXPECT_FALSE(cell.windows[0].measured);
  EXPECT_TRUE(cell.windows[1].measured);
  EXPECT_EQ(cell.windows[3].transactions, 30u);
}

TEST(CellMergerTest, KeepsEachKindOfOperation) {
  CellMerger merger(Shape(1));
  ASSERT_TRUE(merger.Add(0, MakeSnapshot(0, 3)).ok());
  v1::Snapshot snapshot = MakeSnapshot(1, 4, 2 * kMillisecond);
  AddLatency(*snapshot.mutable_transactions(), 1, 100, 2);
  ASSERT_TRUE(merger.Add(0, snapshot).ok());
  const CellResult cell = merger.Finish(2 * kSecond);
  ASSERT_EQ(cell.transaction_kinds.size(), 2u);
  EXPECT_EQ(cell.transaction_kinds[0].name, "transfer");
  EXPECT_EQ(cell.transaction_kinds[0].latency.count(), 4u);
  EXPECT_EQ(cell.transaction_kinds[1].name, "audit");
  EXPECT_EQ(cell.transaction_kinds[1].latency.count(), 2u);
  EXPECT_EQ(cell.latency.count(), 6u);
  EXPECT_EQ(cell.latency.min_ns(), 100);
  ASSERT_EQ(cell.statements.size(), 3u);
  EXPECT_EQ(cell.statements[1].name, "point_select");
  EXPECT_EQ(cell.statements[1].latency.count(), 4u);
  EXPECT_EQ(cell.statements[1].latency.max_ns(), kMillisecond / 2);
}

TEST(CellMergerTest, MergesAWindowWhenTheLastAgentDeliversIt) {
  CellMerger merger(Shape(2));
  ASSERT_TRUE(merger.Add(0, MakeSnapshot(0, 1)).ok());
  ASSERT_TRUE(merger.Add(0, MakeSnapshot(1, 3, 1 * kMillisecond)).ok());
  EXPECT_TRUE(merger.TakeMergedWindows().empty());
  ASSERT_TRUE(merger.Add(1, MakeSnapshot(0, 1)).ok());
  EXPECT_THAT(Seconds(Windows(merger.TakeMergedWindows())), ElementsAre(0));
  ASSERT_TRUE(merger.Add(1, MakeSnapshot(1, 1, 5 * kMillisecond)).ok());
  const std::vector<MergedWindow> merged = merger.TakeMergedWindows();
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].latency.count(), 4u);
  EXPECT_EQ(merged[0].latency.max_ns(), 5 * kMillisecond);
  const std::vector<WindowResult> windows = Windows(merged);
  EXPECT_EQ(windows[0].second, 1);
  EXPECT_EQ(windows[0].transactions, 4u);
  EXPECT_EQ(windows[0].reads, 4u);
  EXPECT_EQ(windows[0].mean_ns, 2 * kMillisecond);
  EXPECT_NEAR(static_cast<double>(windows[0].percentile_ns[0]), kMillisecond, kMillisecond / 1e3);
  EXPECT_EQ(windows[0].percentile_ns[1], 5 * kMillisecond);
  EXPECT_EQ(windows[0].max_ns, 5 * kMillisecond);
  EXPECT_TRUE(merger.TakeMergedWindows().empty());
}

TEST(CellMergerTest, TheWindowBehindTheLastIsNoWindow) {
  CellMerger merger(Shape(1));
  for (uint32_t window = 0; window < 5; ++window) {
    ASSERT_TRUE(merger.Add(0, MakeSnapshot(window, 1)).ok());
  }
  EXPECT_THAT(Seconds(Windows(merger.TakeMergedWindows())), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(merger.acknowledged(0), 5u);
}

TEST(CellMergerTest, CountsARepeatedSnapshotOnce) {
  CellMerger merger(Shape(2));
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (uint32_t window = 0; window < 4; ++window) {
      for (int agent = 0; agent < 2; ++agent) {
        ASSERT_TRUE(merger.Add(agent, MakeSnapshot(window, 10)).ok());
      }
    }
    EXPECT_EQ(merger.acknowledged(0), 4u);
  }
  const CellResult cell = merger.Finish(4 * kSecond);
  EXPECT_EQ(cell.transactions, 60u);
  EXPECT_EQ(cell.total_transactions, 80u);
  EXPECT_EQ(cell.latency.count(), 60u);
}

TEST(CellMergerTest, TheOrderOfTheAgentsMakesNoDifference) {
  const auto run = [](bool one_after_another) {
    CellMerger merger(Shape(3));
    for (uint32_t i = 0; i < 12; ++i) {
      const int agent = static_cast<int>(one_after_another ? i / 4 : i % 3);
      const uint32_t window = one_after_another ? i % 4 : i / 3;
      const int transactions = 10 * (agent + 1) + static_cast<int>(window);
      EXPECT_TRUE(merger.Add(agent, MakeSnapshot(window, transactions, (agent + 1) * 700)).ok());
    }
    return merger.Finish(4 * kSecond);
  };
  const CellResult a = run(true);
  const CellResult b = run(false);
  // (10 + 20 + 30) in each of three windows, and 1 + 2 + 3 for each of three agents.
  EXPECT_EQ(a.transactions, 198u);
  EXPECT_EQ(b.transactions, 198u);
  EXPECT_EQ(a.latency.buckets(), b.latency.buckets());
  EXPECT_EQ(a.latency.sum_ns(), b.latency.sum_ns());
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a.windows[i].transactions, b.windows[i].transactions);
    EXPECT_EQ(a.windows[i].percentile_ns, b.windows[i].percentile_ns);
  }
}

TEST(CellMergerTest, AGapIsInNoRate) {
  CellMerger merger(Shape(2));
  for (uint32_t window = 0; window < 4; ++window) {
    ASSERT_TRUE(merger.Add(0, MakeSnapshot(window, 10)).ok());
  }
  // The other agent is lost after measured window 1.
  ASSERT_TRUE(merger.Add(1, MakeSnapshot(0, 10)).ok());
  ASSERT_TRUE(merger.Add(1, MakeSnapshot(1, 10)).ok());
  const CellResult cell = merger.Finish(4 * kSecond);
  EXPECT_THAT(Gaps(cell.windows), ElementsAre(false, false, true, true));
  EXPECT_EQ(cell.windows[2].transactions, 10u);
  EXPECT_EQ(cell.windows[2].max_ns, 2 * kMillisecond);
  EXPECT_EQ(cell.measured_seconds, 1);
  EXPECT_EQ(cell.transactions, 20u);
  EXPECT_EQ(cell.latency.count(), 20u);
  EXPECT_EQ(cell.Tps(), 20);
  EXPECT_EQ(cell.total_transactions, 60u);
  EXPECT_EQ(cell.agents[0].transactions, 10u);
  EXPECT_EQ(cell.agents[1].transactions, 10u);
}

TEST(CellMergerTest, NothingWholeIsNothingMeasured) {
  CellMerger merger(Shape(2));
  for (uint32_t window = 0; window < 4; ++window) {
    ASSERT_TRUE(merger.Add(0, MakeSnapshot(window, 10)).ok());
  }
  const CellResult cell = merger.Finish(4 * kSecond);
  EXPECT_EQ(cell.windows.size(), 4u);
  EXPECT_EQ(cell.measured_seconds, 0);
  EXPECT_EQ(cell.transactions, 0u);
  EXPECT_EQ(cell.Tps(), 0);
  EXPECT_EQ(cell.total_transactions, 40u);
}

TEST(CellMergerTest, AgentsThatEndedLeaveNoGaps) {
  CellShape shape = Shape(3);
  shape.measured_windows = 0;
  CellMerger merger(shape);
  // Three agents share a limit of transactions and end in windows 1, 2 and 3.
  for (int agent = 0; agent < 3; ++agent) {
    for (uint32_t window = 0; window < static_cast<uint32_t>(agent) + 2; ++window) {
      ASSERT_TRUE(merger.Add(agent, MakeSnapshot(window, 10)).ok());
    }
    if (agent < 2) merger.End(agent);
  }
  EXPECT_THAT(Seconds(Windows(merger.TakeMergedWindows())), ElementsAre(0, 1, 2, 3));
  merger.End(2);
  merger.End(2);
  const CellResult cell = merger.Finish(3 * kSecond + kSecond / 2);
  EXPECT_THAT(Gaps(cell.windows), ElementsAre(false, false, false, false));
  EXPECT_EQ(cell.windows[3].transactions, 10u);
  EXPECT_EQ(cell.transactions, 60u);
  EXPECT_EQ(cell.measured_seconds, 2.5);
}

TEST(CellMergerTest, AnAgentThatEndsLetsTheOthersWindowsGo) {
  CellMerger merger(Shape(2));
  ASSERT_TRUE(merger.Add(0, MakeSnapshot(0, 10)).ok());
  for (uint32_t window = 0; window < 3; ++window) {
    ASSERT_TRUE(merger.Add(1, MakeSnapshot(window, 10)).ok());
  }
  EXPECT_THAT(Seconds(Windows(merger.TakeMergedWindows())), ElementsAre(0));
  merger.End(0);
  EXPECT_THAT(Seconds(Windows(merger.TakeMergedWindows())), ElementsAre(1, 2));
  EXPECT_THAT(Message(merger.Add(0, MakeSnapshot(1, 10))),
              HasSubstr("snapshot 2: 1 was the last before its agent ended"));
  EXPECT_TRUE(merger.Add(0, MakeSnapshot(0, 10)).ok()) << "a repetition does no harm";
}

TEST(CellMergerTest, ALimitReachedInTheLastWindowEndsTheTime) {
  CellMerger merger(Shape(1));
  for (uint32_t window = 0; window < 4; ++window) {
    ASSERT_TRUE(merger.Add(0, MakeSnapshot(window, 10)).ok());
  }
  merger.End(0);
  EXPECT_EQ(merger.Finish(3 * kSecond + kSecond / 2).measured_seconds, 2.5);
}

struct EndCase {
  std::string name;
  int measured_windows;
  uint32_t windows_delivered;
  int64_t elapsed_ms;
  double expected_seconds;
};

class MeasuredSecondsTest : public ::testing::TestWithParam<EndCase> {};

TEST_P(MeasuredSecondsTest, AreTheTimeThatTheSumsCover) {
  const EndCase& end = GetParam();
  CellShape shape = Shape(1);
  shape.measured_windows = end.measured_windows;
  CellMerger merger(shape);
  for (uint32_t window = 0; window < end.windows_delivered; ++window) {
    ASSERT_TRUE(merger.Add(0, MakeSnapshot(window, 1)).ok());
  }
  EXPECT_DOUBLE_EQ(merger.Finish(end.elapsed_ms * kMillisecond).measured_seconds,
                   end.expected_seconds);
}

INSTANTIATE_TEST_SUITE_P(
    Ends, MeasuredSecondsTest,
    ::testing::Values(
        EndCase{"OpenEndWithinAWindow", 0, 4, 3'250, 2.25},
        EndCase{"OpenEndOnAWindow", 0, 4, 4'000, 3},
        EndCase{"OpenEndWithinTheWarmUp", 0, 1, 700, 0}, EndCase{"PlannedEnd", 3, 4, 4'020, 3},
        // The last transaction completed early, but the load went on to the planned end.
        EndCase{"PlannedEndOfASilentDatabase", 3, 4, 1'500, 3},
        EndCase{"StoppedWithinAWindow", 10, 4, 3'500, 2.5},
        // Nothing completed for long: only the last window can have been cut off.
        EndCase{"StoppedWhileNothingCompleted", 10, 6, 1'500, 4},
        EndCase{"StoppedWithALateTransaction", 10, 4, 4'900, 3}),
    [](const auto& end) { return end.param.name; });

TEST(CellMergerTest, MergesErrorsByCodeAndStatement) {
  CellMerger merger(Shape(2));
  v1::Snapshot warm_up = MakeSnapshot(0, 1);
  AddError(warm_up, "40001", 1, 2, "first");
  ASSERT_TRUE(merger.Add(0, warm_up).ok());
  ASSERT_TRUE(merger.Add(1, MakeSnapshot(0, 1)).ok());
  v1::Snapshot measured = MakeSnapshot(1, 1);
  AddError(measured, "40001", 1, 3, "second");
  AddError(measured, "40001", 2, 10, "at commit");
  AddError(measured, "lost", -1, 1, "");
  measured.set_retries(13);
  measured.set_reconnects(1);
  ASSERT_TRUE(merger.Add(0, measured).ok());
  v1::Snapshot other = MakeSnapshot(1, 1);
  AddError(other, "lost", -1, 1, "connection refused");
  ASSERT_TRUE(merger.Add(1, other).ok());

  const CellResult cell = merger.Finish(2 * kSecond);
  EXPECT_EQ(cell.errors, 15u);
  EXPECT_EQ(cell.retries, 13u);
  EXPECT_EQ(cell.reconnects, 1u);
  EXPECT_EQ(cell.windows[0].errors, 2u);
  EXPECT_EQ(cell.windows[1].errors, 15u);
  EXPECT_EQ(cell.windows[1].reconnects, 1u);
  std::vector<std::string> errors;
  for (const ErrorResult& error : cell.error_kinds) {
    errors.push_back(
        fmt::format("{} {} {} {}", error.count, error.code, error.statement, error.example));
  }
  EXPECT_THAT(errors, ElementsAre("10 40001 commit at commit", "5 40001 point_select first",
                                  "2 lost connect connection refused"));
}

TEST(CellMergerTest, SaysWhatEachAgentContributed) {
  CellMerger merger(Shape(2));
  for (uint32_t window = 0; window < 4; ++window) {
    ASSERT_TRUE(merger.Add(0, MakeSnapshot(window, 10, 2 * kMillisecond)).ok());
    v1::Snapshot snapshot = MakeSnapshot(window, 20, 1 * kMillisecond);
    AddLatency(*snapshot.mutable_transactions(), 1, 4 * kMillisecond, 10);
    ASSERT_TRUE(merger.Add(1, snapshot).ok());
  }
  const CellResult cell = merger.Finish(4 * kSecond);
  ASSERT_EQ(cell.agents.size(), 2u);
  EXPECT_EQ(cell.agents[0].address, "client-1:7070");
  EXPECT_EQ(cell.agents[0].connections, 4);
  EXPECT_EQ(cell.agents[0].transactions, 30u);
  EXPECT_EQ(cell.agents[0].mean_ns, 2 * kMillisecond);
  EXPECT_EQ(cell.agents[1].transactions, 90u);
  EXPECT_EQ(cell.agents[1].mean_ns, 2 * kMillisecond) << "20 of 1 ms and 10 of 4 ms";
}

struct Misfit {
  std::string name;
  int agent;
  std::function<void(v1::Snapshot&)> change;
  std::string message;
};

class MisfitTest : public ::testing::TestWithParam<Misfit> {};

TEST_P(MisfitTest, IsRefusedAndChangesNothing) {
  CellMerger merger(Shape(1));
  ASSERT_TRUE(merger.Add(0, MakeSnapshot(0, 1)).ok());
  v1::Snapshot snapshot = MakeSnapshot(1, 10);
  GetParam().change(snapshot);
  const absl::Status status = merger.Add(GetParam().agent, snapshot);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status), HasSubstr(GetParam().message));
  EXPECT_EQ(merger.acknowledged(0), 1u);
  const CellResult cell = merger.Finish(2 * kSecond);
  EXPECT_EQ(cell.transactions, 0u);
  EXPECT_EQ(cell.total_transactions, 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Misfits, MisfitTest,
    ::testing::Values(
        Misfit{"UnknownAgent", 1, [](auto&) {}, "agent 1 is not one of the cell's 1"},
        Misfit{"NegativeAgent", -1, [](auto&) {}, "agent -1 is not one"},
        Misfit{"OtherCell", 0, [](auto& s) { s.set_cell(6); },
               "snapshot 2: it is of cell 6, expected 7"},
        Misfit{"SequenceSkipped", 0, [](auto& s) { s.set_sequence(3); },
               "snapshot 3: expected number 2 next"},
        Misfit{"SequenceZero", 0, [](auto& s) { s.set_sequence(0); }, "expected number 2 next"},
        Misfit{"WindowSkipped", 0, [](auto& s) { s.set_window(2); },
               "it carries window 2, expected 1"},
        Misfit{"WindowRepeated", 0, [](auto& s) { s.set_window(0); },
               "it carries window 0, expected 1"},
        Misfit{"UnknownTransaction", 0,
               [](auto& s) { AddLatency(*s.mutable_transactions(), 2, 1, 1); },
               "transaction 2 is not one of the workload's 2"},
        Misfit{"UnknownStatement", 0, [](auto& s) { AddLatency(*s.mutable_statements(), 3, 1, 1); },
               "statement 3 is not one of the workload's 3"},
        Misfit{"ErrorOfUnknownStatement", 0, [](auto& s) { AddError(s, "40001", 3, 1, ""); },
               "error 40001 of statement 3"},
        Misfit{"MalformedHistogram", 0,
               [](auto& s) { s.mutable_statements(0)->mutable_latency()->add_counts(1); },
               "histogram"},
        Misfit{"MalformedBatches", 0,
               [](auto& s) { s.mutable_health()->mutable_batches()->add_counts(1); },
               "snapshot 2: histogram"}),
    [](const auto& misfit) { return misfit.param.name; });

TEST(CellMergerTest, RefusesWindowsBehindTheTail) {
  CellMerger merger(Shape(1));
  for (uint32_t window = 0; window < 5; ++window) {
    ASSERT_TRUE(merger.Add(0, MakeSnapshot(window, 1)).ok());
  }
  EXPECT_THAT(Message(merger.Add(0, MakeSnapshot(5, 1))),
              HasSubstr("it carries window 5, but 4 is the last of the cell"));
}

TEST(CellMergerTest, ASnapshotTakenInHalfIsNotTakenAgain) {
  CellMerger merger(Shape(1));
  v1::Snapshot malformed = MakeSnapshot(0, 10);
  AddLatency(*malformed.mutable_transactions(), 1, 1, 1);
  malformed.mutable_transactions(1)->mutable_latency()->add_counts(1);
  ASSERT_FALSE(merger.Add(0, malformed).ok());
  EXPECT_FALSE(merger.Add(0, MakeSnapshot(0, 10)).ok());
  EXPECT_EQ(merger.Finish(kSecond).total_transactions, 0u);
}

/// Adds response and waiting times to the first kind of transactions.
void AddTimes(v1::Snapshot& snapshot, int64_t response_ns, int64_t waiting_ns, int count) {
  Histogram response;
  Histogram waiting;
  for (int i = 0; i < count; ++i) {
    response.Record(response_ns);
    waiting.Record(waiting_ns);
  }
  ToProto(response, *snapshot.mutable_transactions(0)->mutable_response());
  ToProto(waiting, *snapshot.mutable_transactions(0)->mutable_waiting());
}

TEST(CellMergerTest, KeepsTheTimesOfAnOpenLoopApart) {
  CellShape shape = Shape(2);
  shape.rate_per_s = 100;
  CellMerger merger(shape);
  for (const int agent : {0, 1}) {
    for (uint32_t window = 0; window < 4; ++window) {
      v1::Snapshot snapshot = MakeSnapshot(window, 10, 2 * kMillisecond);
      AddTimes(snapshot, 9 * kMillisecond, 7 * kMillisecond, 10);
      snapshot.mutable_transactions(0)->set_rolled_back(2);
      snapshot.set_failed(3);
      snapshot.set_queued(window + 1);
      snapshot.set_active(4);
      ASSERT_TRUE(merger.Add(agent, snapshot).ok());
    }
  }
  const std::vector<MergedWindow> windows = merger.TakeMergedWindows();
  ASSERT_EQ(windows.size(), 4u);
  EXPECT_EQ(windows[2].latency.min_ns(), 9 * kMillisecond);
  EXPECT_EQ(windows[2].window.max_ns, 9 * kMillisecond);
  EXPECT_EQ(windows[2].window.queue->queued, 6u);
  EXPECT_EQ(windows[2].window.queue->active, 8u);
  CellResult cell = merger.Finish(4 * kSecond);
  // Three measured windows of two agents.
  EXPECT_EQ(cell.transactions, 60u);
  EXPECT_EQ(cell.rolled_back, 12u);
  EXPECT_EQ(cell.failed, 18u);
  EXPECT_EQ(cell.total_rolled_back, 16u);
  EXPECT_EQ(cell.total_failed, 24u);
  EXPECT_EQ(cell.latency.max_ns(), 2 * kMillisecond);
  ASSERT_TRUE(cell.open_loop);
  EXPECT_EQ(cell.open_loop->rate_per_s, 100);
  EXPECT_EQ(cell.open_loop->response.count(), 60u);
  EXPECT_EQ(cell.open_loop->response.max_ns(), 9 * kMillisecond);
  EXPECT_EQ(cell.open_loop->waiting.max_ns(), 7 * kMillisecond);
  EXPECT_EQ(cell.Response().max_ns(), 9 * kMillisecond);
  // 90 began.
  EXPECT_EQ(cell.RateMissed(), 0);
  cell.open_loop->not_begun = 10;
  EXPECT_DOUBLE_EQ(cell.RateMissed(), 0.1);
}

TEST(FairnessSumsTest, IsOverConnectionsNotAgents) {
  // Connections with 30, 30 events on one agent and 50, 50 on the other: mean 40, deviation 10;
  // within them for 1, 3 and 1, 3 s: mean 2, deviation 1.
  FairnessSums sums;
  v1::Fairness one;
  one.set_events(60);
  one.set_events_squares(1800);
  one.set_busy_s(4);
  one.set_busy_s_squares(10);
  v1::Fairness two = one;
  two.set_events(100);
  two.set_events_squares(5000);
  sums.Add(one);
  sums.Add(two);
  EXPECT_DOUBLE_EQ(sums.Over(4).events_stddev, 10);
  EXPECT_DOUBLE_EQ(sums.Over(4).busy_s_stddev, 1);
  EXPECT_DOUBLE_EQ(FairnessSums().Over(1).events_stddev, 0);
}

TEST(ClientShareTest, IsWhatLittlesLawLeaves) {
  CellResult cell;
  cell.threads = 4;
  cell.measured_seconds = 10;
  EXPECT_EQ(cell.ClientShare(), std::nullopt) << "nothing completed: nothing is known";
  // 1500 transactions of 20 ms: three connections' time.
  for (int i = 0; i < 1500; ++i) cell.latency.Record(20 * kMillisecond);
  cell.transactions = 1500;
  EXPECT_NEAR(cell.ClientShare().value(), 0.25, 1e-12);
  cell.threads = 2;
  EXPECT_EQ(cell.ClientShare(), 0.0);
  // Connections of an open loop wait for their time.
  cell.open_loop.emplace();
  EXPECT_EQ(cell.ClientShare(), std::nullopt);
}

TEST(ClientShareTest, IsKnownOfEachAgent) {
  CellResult cell;
  cell.measured_seconds = 10;
  AgentCellResult agent{.connections = 4, .transactions = 1500, .mean_ns = 20.0 * kMillisecond};
  EXPECT_NEAR(cell.ClientShare(agent).value(), 0.25, 1e-12);
  agent.mean_ns = 40.0 * kMillisecond;
  EXPECT_EQ(cell.ClientShare(agent), 0.0);
  agent.mean_ns = std::nullopt;
  EXPECT_EQ(cell.ClientShare(agent), std::nullopt);
  EXPECT_EQ(cell.ClientShare(AgentCellResult{.connections = 4}), std::nullopt);
}

}  // namespace
}  // namespace sysfleet
