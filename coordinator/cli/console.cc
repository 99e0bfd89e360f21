#include "coordinator/cli/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/base/endpoint.h"
#include "common/base/text.h"
#include "coordinator/result/audit.h"

namespace sysfleet {
namespace {

std::string FleetLine(const RunResult& run) {
  std::vector<std::string> addresses;
  double round_trip_ms = 0;
  for (const AgentResult& agent : run.agents) {
    addresses.push_back(agent.address);
    round_trip_ms = std::max(round_trip_ms, agent.clock_round_trip_ms);
  }
  return fmt::format("fleet      {}, {}   {}   clocks within {:.2f} ms\n",
                     Counted(static_cast<int64_t>(run.agents.size()), "agent"),
                     Counted(FleetCores(run), "core"), Joined(addresses), round_trip_ms / 2);
}

double PerSecond(int64_t count, std::chrono::nanoseconds elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

}  // namespace

Console::Console(const Plan& plan, const Schedule& schedule,
                 const std::vector<ReferenceRow>& reference)
    : plan_(plan), schedule_(schedule), reference_(reference), line_(stdout) {}

void Console::OnFleet(const RunResult& run) {
  line_.Print(FleetLine(run));
}

void Console::OnPrepareProgress(const PrepareProgress& progress, std::chrono::nanoseconds elapsed) {
  if (line_.IsDue()) line_.Show(DescribeProgress(progress, elapsed));
}

void Console::OnPrepared(const RunResult& run, const Preparer& preparer,
                         std::chrono::nanoseconds elapsed) {
  std::vector<std::string> nodes;
  for (const Endpoint& node : plan_.database.nodes) nodes.push_back(ToString(node));
  std::string lines = fmt::format("database   {}   {}", run.server_version, Joined(nodes));
  if (!run.data_set.empty()) lines += "   " + run.data_set;
  lines += "\n";
  const PrepareProgress progress = preparer.progress();
  if (progress.rows_loaded > 0) {
    lines += fmt::format("prepare    {} rows in {} ({} rows/s with indexes and checks)\n",
                         Grouped(progress.rows_loaded), ForPeople(elapsed),
                         Grouped(std::llround(PerSecond(progress.rows_loaded, elapsed))));
  }
  for (const std::string& note : preparer.notes()) lines += fmt::format("           {}\n", note);
  line_.Print(lines);
  line_.Reset();
}

void Console::OnCellBegin(const Cell& cell) {
  line_.Reset();
  warmup_seconds_ = plan_.run.warmup_time.count();
  const bool table_ended =
      plan_.run.workloads[static_cast<size_t>(cell.workload)].label != head_of_;
  if (table_ended) PrintHint();
}

void Console::OnWindow(const Cell& cell, const WindowResult& window, const Histogram&) {
  // It may have ended early.
  if (window.measured) warmup_seconds_ = std::min<int64_t>(warmup_seconds_, window.second);
  if (line_.IsDue()) {
    line_.Show(DescribeWindow(plan_, schedule_, cell, warmup_seconds_, window));
  }
}

void Console::OnCellEnd(const RunResult& run, const CellResult& result) {
  std::string lines;
  if (head_of_ != result.workload) {
    head_of_ = result.workload;
    lines = "\n" + ConsoleHead(run, result.workload, reference_);
  }
  line_.Print(lines + ConsoleRow(run, result, reference_));
  hint_ = ConsoleHint(run, result.workload);
}

void Console::OnAudit(const CellResult& result) {
  line_.Print(fmt::format("{:>9}  {}\n", "audit", Describe(*result.audit)));
}

void Console::OnInvariants(const CellResult& result) {
  for (const InvariantResult& invariant : result.invariants) {
    line_.Print(fmt::format("invariant  {}\n", Describe(invariant)));
  }
}

void Console::OnSearch(const SearchResult& result) {
  line_.Reset();
  PrintHint();
  line_.Print(fmt::format("search     {}\n", Describe(result)));
}

void Console::End() {
  line_.Reset();
  PrintHint();
}

void Console::PrintHint() {
  if (!hint_.empty()) line_.Print(std::exchange(hint_, ""));
}

std::string DescribeProgress(const PrepareProgress& progress, std::chrono::nanoseconds elapsed) {
  std::string line = std::string(ToString(progress.phase));
  if (progress.phase != PreparePhase::kLoading || progress.rows_total == 0) {
    return line + "  " + ForPeople(elapsed);
  }
  const double rate = PerSecond(progress.rows_loaded, elapsed);
  const int64_t done = progress.rows_loaded + progress.rows_present;
  line += fmt::format("  {} of {} rows  {:.0f} %  {} rows/s", Grouped(done),
                      Grouped(progress.rows_total),
                      100.0 * static_cast<double>(done) / static_cast<double>(progress.rows_total),
                      Grouped(std::llround(rate)));
  if (rate > 0) {
    const double seconds = static_cast<double>(progress.rows_total - done) / rate;
    line += fmt::format("  {} left", ForPeople(std::chrono::round<std::chrono::nanoseconds>(
                                         std::chrono::duration<double>(seconds))));
  }
  return line;
}

std::string DescribeWindow(const Plan& plan, const Schedule& schedule, const Cell& cell,
                           int64_t warmup_seconds, const WindowResult& window) {
  const int64_t warmup = warmup_seconds;
  const int64_t time = cell.time.count();
  const int64_t second = window.second + 1;
  std::string phase;
  if (!window.measured) {
    phase = fmt::format("warm-up {}/{} s", second, warmup);
  } else if (time == 0) {
    phase = fmt::format("measured {} s", second - warmup);
  } else {
    phase = fmt::format("measured {}/{} s", second - warmup, time);
  }
  // P95 is what people look at; another where the plan does not ask for it.
  const std::vector<double>& percents = plan.report.percentiles;
  const auto p95 = std::find(percents.begin(), percents.end(), 95.0);
  const size_t shown = p95 == percents.end() ? 0 : static_cast<size_t>(p95 - percents.begin());
  std::string percentile;
  if (shown < window.percentile_ns.size()) {
    percentile = fmt::format("   P{:g} {:.1f} ms", percents[shown],
                             static_cast<double>(window.percentile_ns[shown]) / 1e6);
  }
  const std::string rate =
      cell.rate_per_s > 0 ? fmt::format(" at {}/s", RateText(cell.rate_per_s)) : "";
  const std::string queue =
      window.queue ? "   queued " + Grouped(static_cast<int64_t>(window.queue->queued)) : "";
  const std::string place = schedule.cells.empty()
                                ? Grouped(cell.number)  // of a search
                                : fmt::format("{} of {}", cell.number, schedule.cells.size());
  return fmt::format("{}  {}{}  [ {} ]  {}   TPS {}   QPS {}{}   err/s {}{}",
                     plan.run.workloads[static_cast<size_t>(cell.workload)].label,
                     Counted(cell.threads, "thread"), rate, cell.number, schedule.cells.size(),
                     phase, Grouped(static_cast<int64_t>(window.transactions)),
                     Grouped(static_cast<int64_t>(window.queries())), percentile,
                     Grouped(static_cast<int64_t>(window.errors)), queue);
}

}  // namespace sysfleet
