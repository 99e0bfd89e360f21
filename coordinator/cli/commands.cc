#include "coordinator/cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/version.h"
#include "coordinator/cli/check.h"
#include "coordinator/cli/console.h"
#include "coordinator/cli/fleet_check.h"
#include "coordinator/cli/interrupt.h"
#include "coordinator/cli/start_fleet.h"
#include "coordinator/cli/text.h"
#include "coordinator/plan/parse.h"
#include "coordinator/report/report.h"
#include "coordinator/result/store.h"
#include "coordinator/schedule/schedule.h"

namespace sysfleet {
namespace {

// Behind what was printed before, also where both go to one file.
void PrintError(const std::string& message) {
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", message);
}

std::optional<Plan> LoadPlan(const CommandOptions& options) {
  PlanOrErrors read = ReadPlan(options.plan_path, options.overrides);
  if (const auto* errors = std::get_if<std::vector<PlanError>>(&read)) {
    fmt::print(stderr, "{}", ToString(*errors));
    return std::nullopt;
  }
  return std::get<Plan>(std::move(read));
}

// A plan with all that a command needs to act on it.
struct Session {
  Plan plan;
  Schedule schedule;
  std::vector<ReferenceRow> reference;
  std::string run_id;
  StartedFleet started;
};

// Reads everything that can be wrong with the plan before anything is started.
std::optional<Session> ReadSession(const CommandOptions& options) {
  auto plan = LoadPlan(options);
  if (!plan) return std::nullopt;
  Session session{.plan = *std::move(plan)};
  session.schedule = MakeSchedule(session.plan);
  if (!session.plan.report.reference.empty()) {
    auto reference = ReadReference(session.plan.report.reference);
    if (!reference.ok()) {
      PrintError("report.reference: " + Message(reference.status()));
      return std::nullopt;
    }
    session.reference = *std::move(reference);
  }
  session.run_id = session.plan.name + "-" + CompactUtc(std::chrono::system_clock::now());
  return session;
}

absl::Status StartFleet(Session& session) {
  auto started = StartFleet(session.plan, session.run_id);
  if (!started.ok()) return started.status();
  session.started = *std::move(started);
  return absl::OkStatus();
}

std::string Capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

int CompleteCells(const RunResult& result) {
  return static_cast<int>(
      std::count_if(result.cells.begin(), result.cells.end(),
                    [](const CellResult& cell) { return cell.status == CellStatus::kComplete; }));
}

bool StoreSummary(const RunEnd& end, const std::vector<ReferenceRow>& reference) {
  const absl::Status stored =
      WriteFileAtomically(end.folder + "/summary.md", Markdown(end.result, reference));
  if (!stored.ok()) PrintError(Message(stored));
  return stored.ok();
}

// How it ended, and where to look further.
ExitCode Conclude(const RunEnd& end, const std::vector<ReferenceRow>& reference) {
  if (!end.status.ok()) {
    PrintError("\n" + (absl::IsCancelled(end.status) ? Capitalised(Message(end.status))
                                                     : Message(end.status)));
    if (!end.folder.empty()) {
      PrintError(fmt::format("{} of {} cells are complete and kept.", CompleteCells(end.result),
                             end.result.planned_cells));
    }
  }
  ExitCode code = end.code;
  if (!end.folder.empty()) {
    const bool stored = StoreSummary(end, reference);
    if (!stored && code == ExitCode::kDone) code = ExitCode::kFailed;
    fmt::print("\nresults    {}\n", end.folder);
  }
  return code;
}

RunEnd NothingToRun() {
  return {.code = ExitCode::kUsage,
          .status = absl::InvalidArgumentError("the plan has no run: section, so there is nothing "
                                               "to run; `coordinator prepare` loads its data set")};
}

// Tables that are not this plan's are neither made nor dropped.
RunEnd NotOurTables(std::string_view what) {
  return {.code = ExitCode::kUsage,
          .status = absl::InvalidArgumentError(fmt::format(
              "dataset.existing is on, so the tables are taken as they are: {}", what))};
}

template <typename Execute>
ExitCode WithFleet(const CommandOptions& options, Execute execute) {
  auto session = ReadSession(options);
  if (!session) return ExitCode::kUsage;
  fmt::print("sysfleet {}  {}\n\n", kVersion, RunHead(session->plan, session->schedule));
  std::fflush(stdout);
  if (const absl::Status status = StartFleet(*session); !status.ok()) {
    PrintError(Message(status));
    return ExitCode::kPreflight;
  }
  const InterruptWatcher watcher([&] { session->started.fleet->Interrupt(); });
  Console console(session->plan, session->schedule, session->reference);
  const RunEnd end = execute(*session, console);
  console.End();
  return Conclude(end, session->reference);
}

// Asks the agents and lets them go again.
ExitCode CheckFleet(Session& session) {
  absl::Status status = StartFleet(session);
  if (status.ok()) {
    const InterruptWatcher watcher([&] { session.started.fleet->Interrupt(); });
    status = session.started.fleet->Open(kFleetOpenLimit);
  }
  if (!status.ok()) {
    PrintError("\n" + Message(status));
    return absl::IsCancelled(status) ? ExitCode::kInterrupted : ExitCode::kPreflight;
  }
  fmt::print("\n{}",
             RenderFleetCheck(session.plan, session.started.fleet->agents(), session.reference));
  return ExitCode::kDone;
}

}  // namespace

ExitCode CheckCommand(const CommandOptions& options) {
  auto session = ReadSession(options);
  if (!session) return ExitCode::kUsage;
  const auto text = RenderCheck(session->plan, session->schedule, ToYaml(session->plan));
  if (!text.ok()) {
    PrintError(Message(text.status()));
    return ExitCode::kUsage;
  }
  fmt::print("{}", *text);
  std::fflush(stdout);
  return options.connect ? CheckFleet(*session) : ExitCode::kDone;
}

ExitCode RunCommand(const CommandOptions& options) {
  return WithFleet(options, [&](Session& session, Console& console) {
    if (session.plan.run.workloads.empty()) return NothingToRun();
    if (session.plan.dataset.existing && options.existing == ExistingData::kRecreate) {
      return NotOurTables("leave --recreate out");
    }
    return ExecuteRun(*session.started.fleet, session.plan, session.schedule, session.run_id,
                      options.existing, console);
  });
}

ExitCode PrepareCommand(const CommandOptions& options) {
  return WithFleet(options, [&](Session& session, Console& console) {
    if (session.plan.dataset.existing) return NotOurTables("there is nothing to prepare");
    return ExecutePrepare(*session.started.fleet, session.plan, session.schedule, options.existing,
                          console);
  });
}

ExitCode CleanupCommand(const CommandOptions& options) {
  return WithFleet(options, [&](Session& session, Console& console) {
    if (session.plan.dataset.existing) return NotOurTables("drop them where they were made");
    return ExecuteCleanup(*session.started.fleet, session.plan, session.schedule, console);
  });
}

}  // namespace sysfleet
