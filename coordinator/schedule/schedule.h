// Plan to cells and orders: who does what. Pure arithmetic; the sums over agents and nodes are
// asserted.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "coordinator/plan/plan.h"

namespace sysfleet {

/// What one agent does in a cell. Connections are numbered over the whole fleet; connection g goes
/// to node g modulo the number of nodes and draws its random numbers from (seed, g).
struct AgentShare {
  int64_t first_connection = 0;
  int connections = 0;
  /// How many of them go to each node, in the plan's order.
  std::vector<int> node_connections;
};

/// One measurement: a workload at a number of threads, and at a rate where it is an open loop.
struct Cell {
  int number = 0;    // from 1
  int workload = 0;  // its place in the plan
  int threads = 0;
  /// Intended transactions a second over the fleet, of which each connection has the same part; 0:
  /// a closed loop.
  double rate_per_s = 0;
  int repetition = 1;
  std::chrono::seconds time{0};    // measured; 0: no limit but events
  uint64_t seed = 0;               // its own, from the run's seed and the cell's number
  std::vector<AgentShare> shares;  // one an agent
};

/// Rows first to last, both included, of a table numbered from 1.
struct RowChunk {
  int table = 0;
  int64_t first_row = 0;
  int64_t last_row = 0;
};

struct Schedule {
  /// Workloads as the plan lists them; for each, the numbers of threads; for each, the rates.
  std::vector<Cell> cells;
  /// Connections for preparing, one an agent.
  std::vector<AgentShare> load;
  /// Of all cells: warm-up and measured time, without preparing.
  std::chrono::seconds duration{0};
};

/// Of a search, which decides as it goes on, only how to load.
Schedule MakeSchedule(const Plan& plan);

/// A cell that stands at this place of the run's, from 1. Its shares and its seed follow from it.
Cell MakeCell(const Plan& plan, int number, int workload, int threads, double rate_per_s);

/// `connections` over `agents` and `nodes`: shares differ by one at most, earlier agents get more.
std::vector<AgentShare> SplitConnections(int connections, int agents, int nodes);

/// The chunks of a table: number of chunks, and the chunk with an index from 0.
int64_t ChunkCount(int64_t table_size, int64_t chunk_rows);
RowChunk ChunkAt(int table, int64_t table_size, int64_t chunk_rows, int64_t index);

/// The seed of the rows of a table, and of a cell's connections.
uint64_t TableSeed(uint64_t dataset_seed, int table);
uint64_t CellSeed(uint64_t run_seed, int cell_number);

}  // namespace sysfleet
