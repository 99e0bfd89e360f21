// Merges the agents' snapshots of one cell into a CellResult. Window k is merged when every agent
// has delivered it; what never came is a gap, never a zero. A snapshot that comes twice counts
// once. Not thread-safe; pure apart from its own state.
//
// An agent's snapshots are numbered from 1 and carry the windows from 0, one each, none left out;
// behind the last window may come one more, for what completed after the end. A transaction belongs
// to the window in which it completed. Windows below warmup_windows are the warm-up.
//
// A gap is in no sum over the measured windows, and its second not in measured_seconds: a rate
// divides what the whole fleet did by the time in which all of it was seen. The sums over
// everything that was executed, and the errors by code, leave out nothing that came.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "coordinator/result/result.h"

namespace sysfleet {

namespace v1 {
class Snapshot;
}

struct CellShape {
  int number = 0;
  std::string workload;
  int threads = 0;
  int repetition = 1;
  /// Intended transactions a second; 0: a closed loop.
  double rate_per_s = 0;
  int warmup_windows = 0;
  /// 0: open end, limited by transactions.
  int measured_windows = 0;
  std::vector<std::string> transaction_names;
  std::vector<std::string> statement_names;
  std::vector<double> percentiles;
  /// Numbered from 1, where agents count what they did to them.
  int tables = 0;
  /// Addresses and connections of the agents, in the fleet's order.
  std::vector<std::string> agents;
  std::vector<int> connections;
};

/// A window with the latencies of all its transactions, in an open loop their response times, for
/// sums over several windows.
struct MergedWindow {
  WindowResult window;
  Histogram latency;
};

class CellMerger {
 public:
  explicit CellMerger(CellShape shape);
  ~CellMerger();
  CellMerger(CellMerger&&) noexcept;
  CellMerger& operator=(CellMerger&&) noexcept;

  /// INVALID_ARGUMENT for a snapshot that does not fit the cell: an index or window out of range, a
  /// gap in its agent's sequence, a malformed histogram.
  absl::Status Add(int agent, const v1::Snapshot& snapshot);

  /// The agent is done with the cell: what it delivered is all there was, and it did nothing in the
  /// windows behind. They wait for it no longer and are no gaps. (Agents that share a limit of
  /// transactions, or are stopped, end in different windows.) Not for an agent that was lost: the
  /// load it may still have made is unknown, and its windows are gaps.
  void End(int agent);

  /// The first window that nobody has delivered any of.
  int next_window() const;

  /// The warm-up has only so many windows: fewer than it had, and no less than next_window().
  void EndWarmup(int windows);

  /// The highest sequence number of an agent up to which nothing is missing: to acknowledge.
  uint64_t acknowledged(int agent) const;

  /// Windows that became complete since the last call, in order; the one behind the last is none.
  std::vector<MergedWindow> TakeMergedWindows();

  /// The cell's result from all that came; windows that not every agent delivered stand behind the
  /// others as gaps. `elapsed_ns` is the longest of the agents'. It is used where the cell ended
  /// within a window, because the end was open or came early: measured_seconds is then elapsed less
  /// the warm-up, within the last merged window. Fill in status, spread, offsets and unfinished
  /// transactions afterwards.
  CellResult Finish(int64_t elapsed_ns);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sysfleet
