#include "coordinator/cli/sysbench_console.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "coordinator/sysbench/to_plan.h"

namespace sysfleet {
namespace {

std::vector<int64_t> Numbers(const std::vector<std::string>& texts) {
  std::vector<int64_t> numbers;
  for (const std::string& text : texts) {
    numbers.push_back(std::strtoll(text.c_str(), nullptr, 10));
  }
  return numbers;
}

SysbenchHeading HeadingOf(const SysbenchCommand& command, const Plan& plan) {
  const SysbenchOptions& options = command.options;
  SysbenchHeading heading;
  heading.threads = plan.run.threads.front();
  heading.warmup_seconds = plan.run.warmup_time.count();
  heading.rate = options.Integer("rate");
  heading.report_interval_seconds = options.Integer("report-interval");
  heading.checkpoint_seconds = Numbers(options.List("report-checkpoints"));
  heading.debug = options.Flag("debug");
  heading.validate = options.Flag("validate");
  if (const int64_t seed = options.Integer("rand-seed"); seed != 0) heading.seed = seed;
  if (const auto wait = ForcedShutdownSeconds(options)) {
    heading.forced_shutdown_seconds = heading.warmup_seconds + plan.run.time.count() + *wait;
  }
  return heading;
}

std::vector<int> AllTables(const Plan& plan) {
  std::vector<int> tables;
  for (int table = 1; table <= plan.dataset.tables; ++table) tables.push_back(table);
  return tables;
}

}  // namespace

SysbenchConsole::SysbenchConsole(const SysbenchCommand& command, const Plan& plan)
    : command_(command),
      plan_(plan),
      verbosity_(command.options.verbosity()),
      interval_seconds_(command.options.Integer("report-interval")) {
  for (const int64_t second : Numbers(command.options.List("report-checkpoints"))) {
    checkpoints_.insert(second);
  }
  if (command.options.Text("percentile") != "0") percentiles_ = plan.report.percentiles;
}

void SysbenchConsole::Print(int verbosity, const std::string& text) const {
  if (verbosity > verbosity_) return;
  std::fputs(text.c_str(), stdout);
  // Whoever reads through a pipe follows a run as it goes on.
  std::fflush(stdout);
}

void SysbenchConsole::Begin() {
  Print(kNotice, command_.warnings + SysbenchBanner());
  if (command_.command == "run") {
    Print(kNotice, SysbenchHead(HeadingOf(command_, plan_)));
  } else if (command_.command != "cleanup" && plan_.load.threads > 1) {
    Print(kNotice, "Initializing worker threads...\n\n");
  }
}

void SysbenchConsole::TellTables(const char* form, const std::vector<int>& tables,
                                 bool& told) const {
  if (std::exchange(told, true)) return;
  for (const int table : tables) {
    Print(kNotice, fmt::format(fmt::runtime(form), fmt::arg("table", table),
                               fmt::arg("rows", plan_.dataset.table_size)));
  }
}

void SysbenchConsole::TellIndexes(const PrepareProgress& progress) {
  TellTables("Creating a secondary index on 'sbtest{table}'...\n", progress.indexed_tables,
             told_indexed_);
}

void SysbenchConsole::TellTables(const PrepareProgress& progress) {
  const PreparePhase phase = progress.phase;
  if (command_.command == "cleanup") {
    if (phase < PreparePhase::kDropping) return;
    return TellTables("Dropping table 'sbtest{table}'...\n", AllTables(plan_), told_dropped_);
  }
  if (command_.command == "warmup" || command_.command == "prewarm") {
    if (phase < PreparePhase::kLoading) return;
    return TellTables("Prewarming table sbtest{table}\n", progress.loaded_tables, told_loaded_);
  }
  if (phase >= PreparePhase::kCreating) {
    TellTables("Creating table 'sbtest{table}'...\n", progress.created_tables, told_created_);
    if (plan_.dataset.index == IndexTime::kBefore) TellIndexes(progress);
  }
  // bulk_insert's tables stay empty.
  const bool fills = command_.command != "create" && plan_.dataset.table_size > 0;
  if (phase >= PreparePhase::kLoading && fills) {
    TellTables("Inserting {rows} records into 'sbtest{table}'\n", progress.loaded_tables,
               told_loaded_);
  }
  if (phase >= PreparePhase::kIndexing) TellIndexes(progress);
}

void SysbenchConsole::OnPrepareProgress(const PrepareProgress& progress, std::chrono::nanoseconds) {
  if (command_.command != "run") TellTables(progress);
}

void SysbenchConsole::OnPrepared(const RunResult&, const Preparer& preparer,
                                 std::chrono::nanoseconds) {
  if (command_.command != "run") TellTables(preparer.progress());
}

void SysbenchConsole::Start() {
  if (std::exchange(started_, true)) return;
  Print(kNotice, "Threads started!\n\n");
  if (plan_.run.warmup_time.count() > 0) {
    Print(kNotice, fmt::format("Warming up for {} seconds...\n\n", plan_.run.warmup_time.count()));
  }
}

void SysbenchConsole::OnWindow(const Cell&, const WindowResult& window, const Histogram& latency) {
  Start();
  if (!window.measured || interrupted_) return;
  interval_.Add(window, latency);
  since_checkpoint_.Add(window, latency);
  events_ += window.transactions;
  // sysbench ends at once at its limit of events, within a second: that second gets no line.
  if (plan_.run.events > 0 && events_ >= static_cast<uint64_t>(plan_.run.events)) return;
  const int64_t second = window.second + 1 - plan_.run.warmup_time.count();
  if (interval_seconds_ > 0 && second % interval_seconds_ == 0) TellInterval(second);
  // One at the end would only repeat the report that comes anyway.
  if (checkpoints_.contains(second) && second != plan_.run.time.count()) TellCheckpoint(second);
}

void SysbenchConsole::TellInterval(int64_t second) {
  Print(kNotice, SysbenchInterval(interval_, interval_seconds_, second, plan_.run.threads.front(),
                                  percentiles_));
  interval_ = {};
}

void SysbenchConsole::TellCheckpoint(int64_t second) {
  Print(kNotice, fmt::format("[ {}s ] Checkpoint report:\n", second));
  TellReport(static_cast<double>(second - checkpoint_second_), static_cast<double>(second), {}, 0);
  since_checkpoint_ = {};
  checkpoint_second_ = second;
}

void SysbenchConsole::TellReport(double seconds, double total_seconds, FairnessResult spread,
                                 uint64_t unfinished) {
  Print(kNotice, ToSysbenchText({.figures = since_checkpoint_,
                                 .seconds = seconds,
                                 .total_seconds = total_seconds,
                                 .threads = plan_.run.threads.front(),
                                 .spread = spread,
                                 .percentiles = percentiles_,
                                 .unfinished = unfinished,
                                 .histogram = command_.options.Flag("histogram")}));
}

void SysbenchConsole::OnCellEnd(const RunResult&, const CellResult& result) {
  if (result.status != CellStatus::kComplete) return;
  Start();
  const bool by_events = plan_.run.events > 0 && events_ >= static_cast<uint64_t>(plan_.run.events);
  std::string ending = fmt::format("{} limit exceeded, exiting...\n", by_events ? "Event" : "Time");
  if (result.threads > 1) {
    ending += fmt::format("(last message repeated {} times)\n", result.threads - 1);
  }
  Print(kInformation, ending + "Done.\n\n");
  cut_off_ = result.unfinished > 0 && ForcedShutdownSeconds(command_.options).has_value();
  if (cut_off_) Print(0, "FATAL: The --max-time limit has expired, forcing shutdown...\n");
  TellReport(
      result.measured_seconds - static_cast<double>(checkpoint_second_), result.measured_seconds,
      checkpoint_second_ == 0 ? result.fairness.value_or(FairnessResult{}) : FairnessResult{},
      cut_off_ ? result.unfinished : 0);
}

}  // namespace sysfleet
