#include "coordinator/schedule/schedule.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <utility>

#include "common/base/split.h"
#include "common/random/random.h"

namespace sysfleet {
namespace {

// Tags that keep the rows' random numbers apart from the cells', so that a data set and a run with
// the same seed do not draw the same values.
constexpr uint64_t kTableSeeds = 1;
constexpr uint64_t kCellSeeds = 2;
constexpr uint64_t kOrderSeeds = 3;

// How many of the numbers first, first + 1, … first + count - 1 leave each remainder.
std::vector<int> CountRemainders(int64_t first, int count, int divisor) {
  std::vector<int> counts(static_cast<size_t>(divisor));
  for (int offset = 0; offset < std::min(count, divisor); ++offset) {
    const auto node = static_cast<size_t>((first + offset) % divisor);
    counts[node] = static_cast<int>(ShareOf(count, divisor, offset));
  }
  return counts;
}

[[maybe_unused]] bool AddsUp(const std::vector<AgentShare>& shares, int connections) {
  int64_t next = 0;
  for (const AgentShare& share : shares) {
    const auto& nodes = share.node_connections;
    if (share.first_connection != next) return false;
    if (std::accumulate(nodes.begin(), nodes.end(), 0) != share.connections) return false;
    next += share.connections;
  }
  return next == connections;
}

int NodesOf(const Plan& plan) {
  return std::max(1, static_cast<int>(plan.database.nodes.size()));
}

/// What is measured, apart from where in the run.
struct Point {
  int workload = 0;
  int threads = 0;
  double rate_per_s = 0;
  int repetition = 1;
};

std::vector<Point> PointsOf(const RunPlan& run) {
  std::vector<Point> points;
  const std::vector<double> rates = run.rates.empty() ? std::vector<double>{0} : run.rates;
  for (size_t workload = 0; workload < run.workloads.size(); ++workload) {
    for (const int threads : run.threads) {
      for (const double rate_per_s : rates) {
        points.push_back({static_cast<int>(workload), threads, rate_per_s});
      }
    }
  }
  return points;
}

/// With their repetitions, in the order of the run.
std::vector<Point> Ordered(const RunPlan& run) {
  const std::vector<Point> once = PointsOf(run);
  std::vector<Point> all;
  const auto add = [&](Point point, int repetition) {
    point.repetition = repetition;
    all.push_back(point);
  };
  if (run.order == SweepOrder::kWritten) {
    for (const Point& point : once) {
      for (int repetition = 1; repetition <= run.repeat; ++repetition) add(point, repetition);
    }
    return all;
  }
  for (int repetition = 1; repetition <= run.repeat; ++repetition) {
    for (const Point& point : once) add(point, repetition);
  }
  if (run.order == SweepOrder::kShuffled) {
    // Fisher and Yates's way; the standard library's result is not the same everywhere.
    Random random(MixSeed(run.seed, kOrderSeeds));
    for (size_t i = all.size(); i > 1; --i) {
      const auto other = static_cast<size_t>(random.Uniform(0, static_cast<int64_t>(i) - 1));
      std::swap(all[i - 1], all[other]);
    }
  }
  return all;
}

}  // namespace

Cell MakeCell(const Plan& plan, int number, int workload, int threads, double rate_per_s) {
  Cell cell;
  cell.number = number;
  cell.workload = workload;
  cell.threads = threads;
  cell.rate_per_s = rate_per_s;
  cell.time = plan.run.time;
  cell.seed = CellSeed(plan.run.seed, number);
  cell.shares = SplitConnections(threads, plan.fleet_size(), NodesOf(plan));
  return cell;
}

Schedule MakeSchedule(const Plan& plan) {
  const int agents = plan.fleet_size();
  const int nodes = NodesOf(plan);
  Schedule schedule;
  if (!plan.run.search) {
    for (const Point& point : Ordered(plan.run)) {
      const int number = static_cast<int>(schedule.cells.size()) + 1;
      schedule.cells.push_back(
          MakeCell(plan, number, point.workload, point.threads, point.rate_per_s));
      schedule.cells.back().repetition = point.repetition;
    }
    const auto count = static_cast<int64_t>(schedule.cells.size());
    schedule.duration = count * (plan.run.warmup_time + plan.run.time) +
                        std::max<int64_t>(0, count - 1) * plan.run.pause;
  }
  schedule.load = SplitConnections(plan.load.threads, agents, nodes);
  return schedule;
}

std::vector<AgentShare> SplitConnections(int connections, int agents, int nodes) {
  assert(connections >= 0 && agents > 0 && nodes > 0);
  std::vector<AgentShare> shares(static_cast<size_t>(agents));
  for (int agent = 0; agent < agents; ++agent) {
    AgentShare& share = shares[static_cast<size_t>(agent)];
    share.first_connection = ShareBefore(connections, agents, agent);
    share.connections = static_cast<int>(ShareOf(connections, agents, agent));
    share.node_connections = CountRemainders(share.first_connection, share.connections, nodes);
  }
  assert(AddsUp(shares, connections));
  return shares;
}

int64_t ChunkCount(int64_t table_size, int64_t chunk_rows) {
  return table_size / chunk_rows + (table_size % chunk_rows > 0 ? 1 : 0);
}

RowChunk ChunkAt(int table, int64_t table_size, int64_t chunk_rows, int64_t index) {
  assert(index >= 0 && index < ChunkCount(table_size, chunk_rows));
  const int64_t rows_before = index * chunk_rows;
  return {.table = table,
          .first_row = rows_before + 1,
          .last_row = rows_before + std::min(chunk_rows, table_size - rows_before)};
}

uint64_t TableSeed(uint64_t dataset_seed, int table) {
  return MixSeed(MixSeed(dataset_seed, kTableSeeds), static_cast<uint64_t>(table));
}

uint64_t CellSeed(uint64_t run_seed, int cell_number) {
  return MixSeed(MixSeed(run_seed, kCellSeeds), static_cast<uint64_t>(cell_number));
}

}  // namespace sysfleet
