// What every table of cells shows, as text: the same figures with the same precision in each view.
// Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/report/report.h"

namespace sysfleet {

/// Stands for a figure that nothing was measured for.
inline constexpr std::string_view kUnknown = "-";

struct CellFigures {
  std::string threads;
  std::string rate;  // intended, a second; of an open loop
  std::string tps;
  std::string qps;
  // Of an open loop: of response times.
  std::string mean_ms;
  std::vector<std::string> percentiles_ms;  // as RunResult::percentiles
  std::string errors_per_second;
  std::string client_share;  // "11 %"
  std::string reference_tps;
  std::string tps_ratio;  // ours by the reference's: "0.97×"
  std::string reference_p95_ms;
  std::string p95_ratio;
};

CellFigures FiguresOf(const RunResult& result, const CellResult& cell,
                      const std::vector<ReferenceRow>& reference);

/// How hard an agent had to work in a cell, or the whole fleet.
struct ClientFigures {
  std::string connections;
  std::string tps;
  std::string client_share;     // "11 %"
  std::string busy;             // "62 %", of all reactors
  std::string busiest_reactor;  // "97 %"
  std::string batch_p99_ms;
  std::string cpu_cores;
  std::string stolen;  // "0.3 %"
};

ClientFigures ClientFiguresOf(const CellResult& cell);
ClientFigures ClientFiguresOf(const CellResult& cell, const AgentCellResult& agent);

/// What the reference knows about a workload, and so which columns its table has.
struct ReferenceColumns {
  bool tps = false;
  bool p95 = false;
};

ReferenceColumns ColumnsOf(const std::vector<ReferenceRow>& reference, const std::string& workload);

/// "P95", "P99.9".
std::string PercentileName(double percent);

/// The same of an open loop, with its three kinds of times.
struct OpenLoopFigures {
  std::string rate;
  std::string reached;  // transactions a second
  std::string missed;   // "3 %"
  std::string response_ms;
  std::string service_ms;
  std::string waiting_ms;
  std::string not_begun;
};

/// With times at the percentile `percent`. Only for a cell that is an open loop.
OpenLoopFigures OpenLoopFiguresOf(const CellResult& cell, double percent);

/// Some cell is an open loop.
bool HasRates(const RunResult& result, std::string_view workload);

/// "missed by 12 %, 4,123 never begun" where an open loop fell behind by more than a hundredth;
/// else empty.
std::string RateProblem(const CellResult& cell);

/// A workload's cells as a table shows them: of those that differ in their repetition alone, the
/// complete one with the median TPS stands for all.
struct ShownCell {
  const CellResult* cell = nullptr;
  int repetitions = 1;  // that are complete
  double tps_min = 0;
  double tps_max = 0;
};

/// In the order in which the run came to them.
std::vector<ShownCell> ShownCells(const RunResult& result, std::string_view workload);

/// Empty for a complete cell; else "interrupted" or "failed: why", on one line.
std::string Ending(const CellResult& cell);

/// Line ends become spaces.
std::string OneLine(std::string_view text);

}  // namespace sysfleet
