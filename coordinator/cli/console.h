// Shows a run on the console as it goes on: what it found, one line of progress, a table a
// workload.
#pragma once

#include <string>
#include <vector>

#include "coordinator/cli/status_line.h"
#include "coordinator/plan/plan.h"
#include "coordinator/report/report.h"
#include "coordinator/run/observer.h"
#include "coordinator/schedule/schedule.h"

namespace sysfleet {

class Console final : public RunObserver {
 public:
  /// Everything must outlive it.
  Console(const Plan& plan, const Schedule& schedule, const std::vector<ReferenceRow>& reference);

  void OnFleet(const RunResult& run) override;
  void OnPrepareProgress(const PrepareProgress& progress,
                         std::chrono::nanoseconds elapsed) override;
  void OnPrepared(const RunResult& run, const Preparer& preparer,
                  std::chrono::nanoseconds elapsed) override;
  void OnCellBegin(const Cell& cell) override;
  void OnWindow(const Cell& cell, const WindowResult& window, const Histogram&) override;
  void OnCellEnd(const RunResult& run, const CellResult& result) override;
  void OnAudit(const CellResult& result) override;
  void OnInvariants(const CellResult& result) override;
  void OnSearch(const SearchResult& result) override;

  /// Removes the line of progress, and says what is left to say about the last table.
  void End();

 private:
  void PrintHint();

  const Plan& plan_;
  const Schedule& schedule_;
  const std::vector<ReferenceRow>& reference_;
  StatusLine line_;
  int64_t warmup_seconds_ = 0;  // of the present cell
  std::string head_of_;         // the workload whose table is being printed
  std::string hint_;            // to stand below that table
};

/// "load  1,200,000 of 3,200,000 rows  37 %  164,000 rows/s  12 s left"
std::string DescribeProgress(const PrepareProgress& progress, std::chrono::nanoseconds elapsed);

/// "oltp_read_write  64 threads  [ 3 of 9 ]  measured 12/30 s   TPS 1,098   …"
/// `warmup_seconds` is what the cell's warm-up takes, as far as is known.
std::string DescribeWindow(const Plan& plan, const Schedule& schedule, const Cell& cell,
                           int64_t warmup_seconds, const WindowResult& window);

}  // namespace sysfleet
