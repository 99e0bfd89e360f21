// What a run tells while it goes on: the seam between the run and who shows it. Called on the run's
// thread; must not block.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "coordinator/plan/plan.h"
#include "coordinator/prepare/preparer.h"
#include "coordinator/result/result.h"
#include "coordinator/schedule/schedule.h"

namespace sysfleet {

class RunObserver {
 public:
  virtual ~RunObserver() = default;

  /// All agents are leased, their clocks read.
  virtual void OnFleet(const RunResult& run) = 0;
  /// Some ten times a second while preparing, and once at its end.
  virtual void OnPrepareProgress(const PrepareProgress& progress,
                                 std::chrono::nanoseconds elapsed) = 0;
  virtual void OnPrepared(const RunResult& run, const Preparer& preparer,
                          std::chrono::nanoseconds elapsed) = 0;
  /// Cells come in the schedule's order.
  virtual void OnCellBegin(const Cell& cell) = 0;
  /// Windows come in order. `latency` has all transactions of the window.
  virtual void OnWindow(const Cell& cell, const WindowResult& window, const Histogram& latency) = 0;
  virtual void OnCellEnd(const RunResult& run, const CellResult& result) = 0;
  /// A workload's search has ended.
  virtual void OnSearch(const SearchResult& result) = 0;
  /// Where the plan asks for it, after OnCellEnd of a complete cell.
  virtual void OnAudit(const CellResult& result) = 0;
  /// Likewise, where the workload has invariants.
  virtual void OnInvariants(const CellResult& result) = 0;
};

}  // namespace sysfleet
