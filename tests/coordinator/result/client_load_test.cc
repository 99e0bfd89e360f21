// What agents tell of their own work, as it comes out of a merged cell.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "common/histogram/codec.h"
#include "coordinator/result/merge.h"
#include "sysfleet/v1/measurement.pb.h"

namespace sysfleet {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kSecond = 1'000'000'000;

/// Warm-up window 0, measured windows 1 and 2.
CellShape Shape() {
  return {.number = 1,
          .threads = 8,
          .warmup_windows = 1,
          .measured_windows = 2,
          .transaction_names = {"transfer"},
          .agents = {"client-1:7070", "client-2:7070"},
          .connections = {4, 4}};
}

struct Batches {
  int64_t ns;
  int count;
};

void AddBatches(std::initializer_list<Batches> batches, v1::Health& health) {
  CoarseHistogram histogram;
  for (const Batches& same : batches) {
    for (int i = 0; i < same.count; ++i) histogram.Record(same.ns);
  }
  ToProto(histogram, *health.mutable_batches());
}

v1::Snapshot MakeSnapshot(uint32_t window, const v1::Health& health) {
  v1::Snapshot snapshot;
  snapshot.set_sequence(window + 1);
  snapshot.set_cell(1);
  snapshot.set_window(window);
  *snapshot.mutable_health() = health;
  return snapshot;
}

/// Two reactors and four cores: one reactor busy for `busiest_ms` of the second, both for
/// `busy_ms`.
v1::Health MakeHealth(uint64_t busy_ms, uint64_t busiest_ms, uint64_t cpu_ms, uint64_t stolen_ms) {
  v1::Health health;
  health.set_busy_ns(busy_ms * kMillisecond);
  health.set_loop_ns(2 * kSecond);
  health.set_busiest_busy_ns(busiest_ms * kMillisecond);
  health.set_busiest_loop_ns(kSecond);
  health.set_cpu_ns(cpu_ms * kMillisecond);
  health.set_stolen_ns(stolen_ms * kMillisecond);
  health.set_cores_ns(4 * kSecond);
  return health;
}

TEST(ClientLoadTest, IsMergedOverWindowsAndAgents) {
  CellMerger merger(Shape());
  v1::Health warm_up = MakeHealth(2000, 1000, 9000, 4000);
  AddBatches({{30, 1'000'000}}, warm_up);
  v1::Health first[] = {MakeHealth(1000, 800, 1500, 0), MakeHealth(400, 300, 500, 400)};
  AddBatches({{10, 95}, {20, 3}}, first[0]);
  AddBatches({{11, 200}}, first[1]);
  v1::Health second[] = {MakeHealth(1400, 1000, 1700, 200), MakeHealth(400, 200, 700, 0)};
  AddBatches({{10, 100}, {25, 2}}, second[0]);
  AddBatches({{12, 198}, {900, 2}}, second[1]);
  for (int agent = 0; agent < 2; ++agent) {
    ASSERT_TRUE(merger.Add(agent, MakeSnapshot(0, warm_up)).ok());
    ASSERT_TRUE(merger.Add(agent, MakeSnapshot(1, first[agent])).ok());
    ASSERT_TRUE(merger.Add(agent, MakeSnapshot(2, second[agent])).ok());
    // What ends after the last window is in no measure.
    ASSERT_TRUE(merger.Add(agent, MakeSnapshot(3, warm_up)).ok());
  }
  const CellResult cell = merger.Finish(3 * kSecond);

  const ClientLoad& one = cell.agents[0].load;
  EXPECT_EQ(one.busy_share, 2400.0 / 4000);
  EXPECT_EQ(one.busiest_reactor_share, 1800.0 / 2000);
  EXPECT_EQ(one.batch_p99_ns, 20) << "the 198th of 200";
  EXPECT_EQ(one.batch_max_ns, 25);
  EXPECT_EQ(one.cpu_cores, 1.6);
  EXPECT_EQ(one.stolen_share, 200.0 / 8000);

  const ClientLoad& two = cell.agents[1].load;
  EXPECT_EQ(two.busy_share, 800.0 / 4000);
  EXPECT_EQ(two.busiest_reactor_share, 500.0 / 2000);
  EXPECT_EQ(two.batch_p99_ns, 12) << "the 396th of 400";
  EXPECT_EQ(two.batch_max_ns, 900);
  EXPECT_EQ(two.cpu_cores, 0.6);
  EXPECT_EQ(two.stolen_share, 400.0 / 8000);

  EXPECT_EQ(cell.load.busy_share, 3200.0 / 8000);
  EXPECT_EQ(cell.load.busiest_reactor_share, 1800.0 / 2000) << "of the busiest agent";
  EXPECT_EQ(cell.load.batch_p99_ns, 20) << "the 594th of 600; 593 are of 10 to 12 ns";
  EXPECT_EQ(cell.load.batch_max_ns, 900);
  EXPECT_EQ(cell.load.cpu_cores, 2.2);
  EXPECT_EQ(cell.load.stolen_share, 600.0 / 16'000);
}

TEST(ClientLoadTest, LeavesOutAGap) {
  CellMerger merger(Shape());
  for (uint32_t window = 0; window < 3; ++window) {
    ASSERT_TRUE(merger.Add(0, MakeSnapshot(window, MakeHealth(window * 500, 250, 100, 0))).ok());
    // The other agent is lost after the first measured window.
    if (window == 2) continue;
    ASSERT_TRUE(merger.Add(1, MakeSnapshot(window, MakeHealth(1500, 1000, 100, 0))).ok());
  }
  const CellResult cell = merger.Finish(3 * kSecond);
  EXPECT_EQ(cell.agents[0].load.busy_share, 0.25);
  EXPECT_EQ(cell.load.busy_share, 0.5);
  EXPECT_EQ(cell.load.busiest_reactor_share, 1.0);
  EXPECT_EQ(cell.load.cpu_cores, 0.2);
}

TEST(ClientLoadTest, WhatNobodyToldIsAbsent) {
  CellMerger merger(Shape());
  v1::Health silent = MakeHealth(1000, 600, 100, 0);
  silent.clear_stolen_ns();
  for (uint32_t window = 0; window < 3; ++window) {
    ASSERT_TRUE(merger.Add(0, MakeSnapshot(window, silent)).ok());
    ASSERT_TRUE(merger.Add(1, MakeSnapshot(window, v1::Health())).ok());
  }
  const CellResult cell = merger.Finish(3 * kSecond);
  EXPECT_EQ(cell.agents[0].load.busy_share, 0.5);
  EXPECT_EQ(cell.agents[0].load.stolen_share, std::nullopt);
  const ClientLoad& nothing = cell.agents[1].load;
  EXPECT_EQ(nothing.busy_share, std::nullopt);
  EXPECT_EQ(nothing.busiest_reactor_share, std::nullopt);
  EXPECT_EQ(nothing.batch_p99_ns, std::nullopt);
  EXPECT_EQ(nothing.batch_max_ns, std::nullopt);
  EXPECT_EQ(nothing.cpu_cores, std::nullopt);
  EXPECT_EQ(nothing.stolen_share, std::nullopt);
  // Of those who told.
  EXPECT_EQ(cell.load.busy_share, 0.5);
  EXPECT_EQ(cell.load.busiest_reactor_share, 0.6);
}

}  // namespace
}  // namespace sysfleet
