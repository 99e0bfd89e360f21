#include "coordinator/schedule/schedule.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>

#include "common/base/split.h"
#include "common/random/random.h"

namespace sysfleet {
namespace {

// Tags that keep the rows' random numbers apart from the cells', so that a data set and a run with
// the same seed do not draw the same values.
constexpr uint64_t kTableSeeds = 1;
constexpr uint64_t kCellSeeds = 2;

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

}  // namespace

Schedule MakeSchedule(const Plan& plan) {
  const int agents = plan.fleet_size();
  const int nodes = std::max(1, static_cast<int>(plan.database.nodes.size()));
  Schedule schedule;
  const auto add = [&](size_t workload, int threads, double rate_per_s) {
    Cell cell;
    cell.number = static_cast<int>(schedule.cells.size()) + 1;
    cell.workload = static_cast<int>(workload);
    cell.threads = threads;
    cell.rate_per_s = rate_per_s;
    cell.seed = CellSeed(plan.run.seed, cell.number);
    cell.shares = SplitConnections(threads, agents, nodes);
    schedule.cells.push_back(std::move(cell));
    schedule.duration += plan.run.warmup_time + plan.run.time;
  };
  for (size_t workload = 0; workload < plan.run.workloads.size(); ++workload) {
    for (const int threads : plan.run.threads) {
      if (plan.run.rates.empty()) add(workload, threads, 0);
      for (const double rate_per_s : plan.run.rates) add(workload, threads, rate_per_s);
    }
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
