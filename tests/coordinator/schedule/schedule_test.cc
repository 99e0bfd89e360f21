#include "coordinator/schedule/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace sysfleet {
namespace {

using ::testing::ElementsAre;

int Sum(const std::vector<int>& values) {
  return std::accumulate(values.begin(), values.end(), 0);
}

int Spread(const std::vector<int>& values) {
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  return *max - *min;
}

std::vector<int> ConnectionsOf(const std::vector<AgentShare>& shares) {
  std::vector<int> connections;
  for (const AgentShare& share : shares) connections.push_back(share.connections);
  return connections;
}

std::vector<int> NodeTotals(const std::vector<AgentShare>& shares, int nodes) {
  std::vector<int> totals(static_cast<size_t>(nodes));
  for (const AgentShare& share : shares) {
    for (size_t node = 0; node < totals.size(); ++node) {
      totals[node] += share.node_connections.at(node);
    }
  }
  return totals;
}

TEST(SplitConnectionsTest, SplitsTheReferenceFleet) {
  const std::vector<AgentShare> shares = SplitConnections(1024, 3, 3);

  EXPECT_THAT(ConnectionsOf(shares), ElementsAre(342, 341, 341));
  EXPECT_THAT(NodeTotals(shares, 3), ElementsAre(342, 341, 341));
  EXPECT_EQ(shares[0].first_connection, 0);
  EXPECT_EQ(shares[1].first_connection, 342);
  EXPECT_EQ(shares[2].first_connection, 683);
  EXPECT_THAT(shares[0].node_connections, ElementsAre(114, 114, 114));
  // Connections 342 to 682 begin at node 342 mod 3 = 0; 683 to 1023 at 683 mod 3 = 2.
  EXPECT_THAT(shares[1].node_connections, ElementsAre(114, 114, 113));
  EXPECT_THAT(shares[2].node_connections, ElementsAre(114, 113, 114));
}

TEST(SplitConnectionsTest, LeavesAgentsIdleWhereThereAreTooFewConnections) {
  const std::vector<AgentShare> shares = SplitConnections(2, 3, 2);

  EXPECT_THAT(ConnectionsOf(shares), ElementsAre(1, 1, 0));
  EXPECT_THAT(shares[0].node_connections, ElementsAre(1, 0));
  EXPECT_THAT(shares[1].node_connections, ElementsAre(0, 1));
  EXPECT_THAT(shares[2].node_connections, ElementsAre(0, 0));
}

std::vector<std::pair<int, int>> ThreadsAndRepetitions(const Schedule& schedule) {
  std::vector<std::pair<int, int>> cells;
  for (const Cell& cell : schedule.cells) cells.emplace_back(cell.threads, cell.repetition);
  return cells;
}

TEST(MakeScheduleTest, OrdersRepetitions) {
  Plan plan;
  plan.run.workloads.resize(1);
  plan.run.threads = {1, 2, 3};
  plan.run.repeat = 2;
  plan.run.time = std::chrono::seconds(10);
  plan.run.pause = std::chrono::seconds(5);
  using P = std::pair<int, int>;
  EXPECT_THAT(ThreadsAndRepetitions(MakeSchedule(plan)),
              ElementsAre(P(1, 1), P(1, 2), P(2, 1), P(2, 2), P(3, 1), P(3, 2)));
  EXPECT_EQ(MakeSchedule(plan).duration, std::chrono::seconds(6 * 10 + 5 * 5));
  plan.run.order = SweepOrder::kInterleaved;
  const auto interleaved = ThreadsAndRepetitions(MakeSchedule(plan));
  EXPECT_THAT(interleaved, ElementsAre(P(1, 1), P(2, 1), P(3, 1), P(1, 2), P(2, 2), P(3, 2)));
  plan.run.order = SweepOrder::kShuffled;
  const auto shuffled = ThreadsAndRepetitions(MakeSchedule(plan));
  EXPECT_THAT(shuffled, testing::UnorderedElementsAreArray(interleaved));
  EXPECT_EQ(shuffled, ThreadsAndRepetitions(MakeSchedule(plan)));
  plan.run.seed = 2;
  EXPECT_NE(shuffled, ThreadsAndRepetitions(MakeSchedule(plan)));
}

TEST(MakeScheduleTest, HasACellForEachRate) {
  Plan plan;
  plan.run.workloads.resize(1);
  plan.run.threads = {8, 16};
  plan.run.rates = {100, 2.5};
  const Schedule schedule = MakeSchedule(plan);
  ASSERT_EQ(schedule.cells.size(), 4u);
  EXPECT_EQ(schedule.cells[1].threads, 8);
  EXPECT_EQ(schedule.cells[1].rate_per_s, 2.5);
  EXPECT_EQ(schedule.cells[2].threads, 16);
  EXPECT_EQ(schedule.cells[2].rate_per_s, 100);
}

class SplitProperty : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(SplitProperty, SharesAreDisjointCompleteAndEven) {
  const auto [connections, agents, nodes] = GetParam();
  const std::vector<AgentShare> shares = SplitConnections(connections, agents, nodes);

  ASSERT_EQ(shares.size(), static_cast<size_t>(agents));
  EXPECT_EQ(Sum(ConnectionsOf(shares)), connections);
  EXPECT_LE(Spread(ConnectionsOf(shares)), 1);
  EXPECT_EQ(Sum(NodeTotals(shares, nodes)), connections);
  EXPECT_LE(Spread(NodeTotals(shares, nodes)), 1);
  std::set<int64_t> numbers;
  for (const AgentShare& share : shares) {
    std::vector<int> by_number(static_cast<size_t>(nodes));
    for (int i = 0; i < share.connections; ++i) {
      const int64_t number = share.first_connection + i;
      EXPECT_TRUE(numbers.insert(number).second) << number << " is there twice";
      ++by_number[static_cast<size_t>(number % nodes)];
    }
    EXPECT_EQ(share.node_connections, by_number);
    EXPECT_LE(Spread(share.node_connections), 1);
  }
  ASSERT_EQ(numbers.size(), static_cast<size_t>(connections));
  EXPECT_EQ(*numbers.begin(), 0);
  EXPECT_EQ(*numbers.rbegin(), connections - 1);
}

INSTANTIATE_TEST_SUITE_P(Fleets, SplitProperty,
                         testing::Combine(testing::Values(1, 2, 7, 32, 60, 255, 256, 1024, 5001),
                                          testing::Values(1, 2, 3, 8, 31, 100),
                                          testing::Values(1, 2, 3, 5, 16)));

class ChunkProperty : public testing::TestWithParam<std::tuple<int64_t, int64_t>> {};

TEST_P(ChunkProperty, ChunksTileTheTable) {
  const auto [table_size, chunk_rows] = GetParam();
  int64_t next_row = 1;
  for (int64_t index = 0; index < ChunkCount(table_size, chunk_rows); ++index) {
    const RowChunk chunk = ChunkAt(5, table_size, chunk_rows, index);
    EXPECT_EQ(chunk.table, 5);
    EXPECT_EQ(chunk.first_row, next_row);
    EXPECT_GE(chunk.last_row, chunk.first_row);
    EXPECT_LE(chunk.last_row - chunk.first_row + 1, chunk_rows);
    next_row = chunk.last_row + 1;
  }
  EXPECT_EQ(next_row, table_size + 1);
}

INSTANTIATE_TEST_SUITE_P(Tables, ChunkProperty,
                         testing::Combine(testing::Values(1, 2, 999, 1000, 1001, 100'000),
                                          testing::Values(1, 7, 1000, 1'000'000)));

TEST(ChunkTest, OnlyTheLastIsSmaller) {
  EXPECT_EQ(ChunkCount(25'001, 10'000), 3);
  EXPECT_EQ(ChunkAt(1, 25'001, 10'000, 0).last_row, 10'000);
  EXPECT_EQ(ChunkAt(1, 25'001, 10'000, 2).first_row, 20'001);
  EXPECT_EQ(ChunkAt(1, 25'001, 10'000, 2).last_row, 25'001);
}

Plan ReferencePlan() {
  Plan plan;
  plan.agents = {{"client-1", 7070}, {"client-2", 7070}, {"client-3", 7070}};
  plan.database.nodes = {{"db-1", 3306}, {"db-2", 3306}, {"db-3", 3306}};
  plan.load.threads = 256;
  for (const char* name : {"oltp_point_select", "oltp_read_only", "oltp_update_index",
                           "oltp_update_non_index", "oltp_write_only", "oltp_read_write"}) {
    plan.run.workloads.push_back({.use = name, .label = name, .options = {}});
  }
  plan.run.threads = {32, 64, 128, 256, 512, 1024};
  plan.run.warmup_time = std::chrono::seconds(5);
  plan.run.time = std::chrono::seconds(600);
  return plan;
}

TEST(MakeScheduleTest, RunsWorkloadsInOrderEachWithItsThreads) {
  const Plan plan = ReferencePlan();
  const Schedule schedule = MakeSchedule(plan);

  ASSERT_EQ(schedule.cells.size(), 36u);
  EXPECT_EQ(schedule.duration, std::chrono::seconds(36 * 605));
  for (size_t i = 0; i < schedule.cells.size(); ++i) {
    const Cell& cell = schedule.cells[i];
    EXPECT_EQ(cell.number, static_cast<int>(i) + 1);
    EXPECT_EQ(cell.workload, static_cast<int>(i / 6));
    EXPECT_EQ(cell.threads, plan.run.threads[i % 6]);
    EXPECT_EQ(Sum(ConnectionsOf(cell.shares)), cell.threads);
  }
  EXPECT_THAT(ConnectionsOf(schedule.cells.back().shares), ElementsAre(342, 341, 341));
  EXPECT_THAT(ConnectionsOf(schedule.load), ElementsAre(86, 85, 85));
}

TEST(MakeScheduleTest, WithoutAgentsOneDoesAll) {
  Plan plan = ReferencePlan();
  plan.agents.clear();
  const Schedule schedule = MakeSchedule(plan);
  ASSERT_EQ(schedule.cells.size(), 36u);
  for (const Cell& cell : schedule.cells) {
    EXPECT_THAT(ConnectionsOf(cell.shares), ElementsAre(cell.threads));
  }
}

TEST(SeedTest, TablesAndCellsDifferButRepeat) {
  std::set<uint64_t> seeds;
  for (int number = 1; number <= 100; ++number) {
    seeds.insert(TableSeed(1, number));
    seeds.insert(CellSeed(1, number));
    seeds.insert(TableSeed(2, number));
  }
  EXPECT_EQ(seeds.size(), 300u);
  EXPECT_EQ(TableSeed(1, 7), TableSeed(1, 7));
  EXPECT_EQ(MakeSchedule(ReferencePlan()).cells[4].seed, CellSeed(1, 5));
}

}  // namespace
}  // namespace sysfleet
