// Shows a run as sysbench does: lines as it goes on, reports at checkpoints and at its end.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "coordinator/plan/plan.h"
#include "coordinator/report/sysbench_text.h"
#include "coordinator/run/observer.h"
#include "coordinator/sysbench/arguments.h"

namespace sysfleet {

class SysbenchConsole final : public RunObserver {
 public:
  /// Both must outlive it.
  SysbenchConsole(const SysbenchCommand& command, const Plan& plan);

  /// What comes before anything is done.
  void Begin();

  void OnFleet(const RunResult&) override {}
  void OnPrepareProgress(const PrepareProgress& progress, std::chrono::nanoseconds) override;
  void OnPrepared(const RunResult& run, const Preparer& preparer,
                  std::chrono::nanoseconds elapsed) override;
  void OnCellBegin(const Cell&) override {}
  void OnWindow(const Cell& cell, const WindowResult& window, const Histogram& latency) override;
  void OnCellEnd(const RunResult& run, const CellResult& result) override;
  void OnAudit(const CellResult&) override {}
  void OnInvariants(const CellResult&) override {}
  void OnSearch(const SearchResult&) override {}

  /// From now on no line tells a second, which may have been cut short. From any thread.
  void Interrupt() { interrupted_ = true; }

  /// Load has been seen.
  bool started() const { return started_; }
  /// What was under way at a forced shutdown was cut off.
  bool cut_off() const { return cut_off_; }

 private:
  /// What sysbench says at its usual verbosity.
  static constexpr int kNotice = 3;
  static constexpr int kInformation = 4;

  void Print(int verbosity, const std::string& text) const;
  void TellTables(const char* form, const std::vector<int>& tables, bool& told) const;
  void TellIndexes(const PrepareProgress& progress);
  void TellTables(const PrepareProgress& progress);
  void Start();
  void TellInterval(int64_t second);
  void TellCheckpoint(int64_t second);
  void TellReport(double seconds, double total_seconds, FairnessResult spread, uint64_t unfinished);

  const SysbenchCommand& command_;
  const Plan& plan_;
  const int64_t verbosity_;
  const int64_t interval_seconds_;
  std::set<int64_t> checkpoints_;
  std::vector<double> percentiles_;  // none: disabled

  bool told_created_ = false;
  bool told_loaded_ = false;
  bool told_indexed_ = false;
  bool told_dropped_ = false;

  std::atomic<bool> interrupted_ = false;
  bool started_ = false;
  bool cut_off_ = false;
  uint64_t events_ = 0;
  SysbenchFigures interval_;
  SysbenchFigures since_checkpoint_;
  int64_t checkpoint_second_ = 0;  // the last one
};

}  // namespace sysfleet
