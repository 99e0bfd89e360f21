// A run as sysbench 1.0.20 prints it, line for line in form, so that what reads its output reads
// ours. Latencies in milliseconds, rates per second. Pure functions of what was measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/histogram/histogram.h"
#include "coordinator/result/result.h"

namespace sysfleet {

/// What the lines before the start say.
struct SysbenchHeading {
  int threads = 1;
  int64_t warmup_seconds = 0;
  int64_t rate = 0;  // transactions per second; 0: none
  int64_t report_interval_seconds = 0;
  std::vector<int64_t> checkpoint_seconds;
  bool debug = false;
  bool validate = false;
  std::optional<int64_t> seed;  // none: from the time
  /// When all is cut off; 0: never.
  int64_t forced_shutdown_seconds = 0;
};

/// From "Running the test" to "Initializing worker threads...".
std::string SysbenchHead(const SysbenchHeading& heading);

/// Sums over some windows.
struct SysbenchFigures {
  uint64_t transactions = 0;
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t others = 0;
  uint64_t errors = 0;
  uint64_t reconnects = 0;
  /// With a rate, of response times: sysbench's include the time in the queue, too.
  Histogram latency;
  /// With a rate, at the end of the last window.
  std::optional<QueueResult> queue;

  void Add(const WindowResult& window, const Histogram& window_latency);
  uint64_t queries() const { return reads + writes + others; }
};

/// "[ 10s ] thds: 4 tps: …": the figures of `seconds` up to second `end`; with a rate, a second
/// line for the queue. No percentiles: it says 0 %, as sysbench does.
std::string SysbenchInterval(const SysbenchFigures& figures, int64_t seconds, int64_t end,
                             int threads, const std::vector<double>& percentiles);

struct SysbenchReport {
  /// Since the start or the last checkpoint, which was `seconds` ago.
  SysbenchFigures figures;
  double seconds = 0;
  /// Since the start.
  double total_seconds = 0;
  int threads = 1;
  FairnessResult spread;
  std::vector<double> percentiles;  // none: disabled
  /// Transactions cut off by a forced shutdown.
  uint64_t unfinished = 0;
  bool histogram = false;
};

/// From "SQL statistics:", or from the histogram before it, to the end.
std::string ToSysbenchText(const SysbenchReport& report);

}  // namespace sysfleet
