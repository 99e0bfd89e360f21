#include "coordinator/run/run.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/base/version.h"
#include "coordinator/plan/parse.h"
#include "coordinator/plan/secrets.h"
#include "coordinator/result/audit.h"
#include "coordinator/result/store.h"
#include "coordinator/run/auditor.h"
#include "coordinator/run/cell_run.h"
#include "coordinator/run/task_session.h"
#include "coordinator/workload/workload.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kProgressInterval{100};
constexpr std::string_view kAudit = "counting for the audit";

std::string PlaceOf(const CellResult& cell) {
  return fmt::format("{}, {}", cell.workload, LoadOf(cell));
}

class Runner {
 public:
  Runner(Fleet& fleet, const Plan& plan, const Schedule& schedule, RunObserver& observer)
      : fleet_(fleet),
        plan_(plan),
        schedule_(schedule),
        observer_(observer),
        auditor_(fleet, plan, schedule) {}

  void Begin(const std::string& run_id) {
    RunResult& result = end_.result;
    result.name = plan_.name;
    result.run_id = run_id;
    result.started = IsoUtc(std::chrono::system_clock::now());
    result.version = kVersion;
    result.plan_yaml = ToYaml(plan_);
    result.data_set = fmt::format("{} x {} rows", Counted(plan_.dataset.tables, "table"),
                                  Grouped(plan_.dataset.table_size));
    result.percentiles = plan_.report.percentiles;
    result.planned_cells = static_cast<int>(schedule_.cells.size());
  }

  bool OpenFleet() {
    if (!Check(fleet_.Open(kFleetOpenLimit), ExitCode::kPreflight)) return false;
    for (const FleetAgent& agent : fleet_.agents()) {
      end_.result.agents.push_back(
          {.address = ToString(agent.endpoint),
           .host = agent.host,
           .version = agent.version,
           .cores = agent.cores,
           .clock_round_trip_ms = static_cast<double>(agent.round_trip_ns) / 1e6});
    }
    observer_.OnFleet(end_.result);
    return true;
  }

  bool BeforeRun() {
    if (plan_.database.before_run.empty()) return true;
    // Connection 0 of the fleet goes to the first node.
    std::vector<AgentShare> first(static_cast<size_t>(fleet_.size()));
    first.front().connections = 1;
    TaskSession session(fleet_, plan_, std::move(first));
    return Check(session.Open(), ExitCode::kPreflight) &&
           Check(WithoutSecrets(
                     Annotate(session.RunScript(plan_.database.before_run), "database.before_run")),
                 ExitCode::kPreflight) &&
           Check(session.Close(), ExitCode::kFailed);
  }

  bool RunPreparer(Preparer& preparer) {
    TaskSession session(fleet_, plan_, schedule_.load);
    if (!Check(session.Open(), ExitCode::kPreflight)) return false;
    const auto begin = steady_clock::now();
    auto next_progress = begin;
    const absl::Status status = session.Run(preparer, [&] {
      const auto now = steady_clock::now();
      if (now < next_progress) return;
      next_progress = now + kProgressInterval;
      observer_.OnPrepareProgress(preparer.progress(), now - begin);
    });
    end_.result.server_version = preparer.server_version();
    // Up to the first row, nothing has been begun that could fail under way.
    const bool is_loading = preparer.progress().phase > PreparePhase::kCreating;
    if (!Check(status, is_loading ? ExitCode::kFailed : ExitCode::kPreflight)) return false;
    observer_.OnPrepared(end_.result, preparer, steady_clock::now() - begin);
    return Check(session.Close(), ExitCode::kFailed);
  }

  // Before any load, so that a full disk or a missing permission is found while it costs nothing.
  bool CreateFolder() {
    auto folder = CreateResultFolder(plan_.report.directory, end_.result.run_id);
    if (!Check(folder.status(), ExitCode::kPreflight)) return false;
    end_.folder = *std::move(folder);
    return Check(StoreResult(end_.result, end_.folder), ExitCode::kPreflight);
  }

  // Before anything is loaded, so that an option that leaves nothing to execute costs no time.
  bool CompileWorkloads() {
    for (const WorkloadPlan& workload : plan_.run.workloads) {
      auto message = CompileWorkload(workload, plan_.dataset, plan_.database.driver);
      if (!Check(message.status(), ExitCode::kUsage)) return false;
      workloads_.push_back(*std::move(message));
    }
    return true;
  }

  void RunCells() {
    for (const Cell& cell : schedule_.cells) {
      if (plan_.run.audit && !Check(Annotate(auditor_.Begin(), kAudit), ExitCode::kFailed)) return;
      observer_.OnCellBegin(cell);
      end_.result.cells.push_back(
          RunCell(fleet_, plan_, workloads_[static_cast<size_t>(cell.workload)], cell, observer_));
      CellResult& result = end_.result.cells.back();
      NoteProblem(result);
      observer_.OnCellEnd(end_.result, result);
      const bool audited = result.status != CellStatus::kComplete || Audit(result);
      if (!Store() || !audited || result.status != CellStatus::kComplete) return;
    }
  }

  // A disagreement does not end the run: what the other cells do helps to find out why.
  bool Audit(CellResult& cell) {
    if (!plan_.run.audit) return true;
    auto audit = auditor_.End(cell);
    if (!Check(Annotate(audit.status(), kAudit), ExitCode::kFailed)) return false;
    cell.audit = *std::move(audit);
    observer_.OnAudit(cell);
    if (cell.audit->agrees()) return true;
    Check(absl::DataLossError(
              fmt::format("{}: the audit found that {}", PlaceOf(cell), Describe(*cell.audit))),
          ExitCode::kInvalid);
    return true;
  }

  RunEnd TakeEnd() {
    fleet_.Close();
    // How the run ended belongs to the result, also where it ended outside of a cell.
    if (!end_.folder.empty() && !end_.status.ok()) Store();
    return std::move(end_);
  }

 private:
  // A server may quote the statement that it refuses.
  absl::Status WithoutSecrets(const absl::Status& status) const {
    return {status.code(), HideSecrets(Message(status), plan_.database)};
  }

  bool Store() {
    return Check(Annotate(StoreResult(end_.result, end_.folder), "the results could not be stored"),
                 ExitCode::kFailed);
  }

  void NoteProblem(const CellResult& cell) {
    if (cell.status == CellStatus::kComplete) return;
    const bool interrupted = cell.status == CellStatus::kInterrupted;
    const std::string place = PlaceOf(cell);
    Check(interrupted ? absl::CancelledError("interrupted in " + place)
                      : absl::AbortedError(place + ": " + cell.problem),
          ExitCode::kFailed);
  }

  // The first error is the one that is told.
  bool Check(const absl::Status& status, ExitCode code) {
    if (status.ok()) return true;
    if (!end_.status.ok()) return false;
    end_.status = status;
    end_.code = absl::IsCancelled(status) ? ExitCode::kInterrupted : code;
    end_.result.interrupted = absl::IsCancelled(status);
    end_.result.problem = Message(status);
    return false;
  }

  Fleet& fleet_;
  const Plan& plan_;
  const Schedule& schedule_;
  RunObserver& observer_;
  Auditor auditor_;
  std::vector<v1::Workload> workloads_;  // as the plan lists them
  RunEnd end_;
};

}  // namespace

RunEnd ExecuteRun(Fleet& fleet, const Plan& plan, const Schedule& schedule,
                  const std::string& run_id, ExistingData existing, RunObserver& observer) {
  Runner runner(fleet, plan, schedule, observer);
  runner.Begin(run_id);
  const auto preparer =
      plan.dataset.existing ? MakeExistingPreparer(plan) : MakePreparer(plan, existing);
  if (runner.CompileWorkloads() && runner.OpenFleet() && runner.CreateFolder() &&
      runner.BeforeRun() && runner.RunPreparer(*preparer)) {
    runner.RunCells();
  }
  return runner.TakeEnd();
}

RunEnd ExecutePrepare(Fleet& fleet, const Plan& plan, const Schedule& schedule,
                      ExistingData existing, RunObserver& observer, PrepareExtent extent) {
  Runner runner(fleet, plan, schedule, observer);
  const auto preparer = MakePreparer(plan, existing, extent);
  if (runner.OpenFleet() && runner.BeforeRun()) runner.RunPreparer(*preparer);
  return runner.TakeEnd();
}

RunEnd ExecuteWarmup(Fleet& fleet, const Plan& plan, const Schedule& schedule,
                     RunObserver& observer) {
  Runner runner(fleet, plan, schedule, observer);
  const auto warmer = MakeWarmer(plan);
  if (runner.OpenFleet()) runner.RunPreparer(*warmer);
  return runner.TakeEnd();
}

RunEnd ExecuteCleanup(Fleet& fleet, const Plan& plan, const Schedule& schedule,
                      RunObserver& observer) {
  Runner runner(fleet, plan, schedule, observer);
  const auto cleaner = MakeCleaner(plan);
  if (runner.OpenFleet()) runner.RunPreparer(*cleaner);
  return runner.TakeEnd();
}

}  // namespace sysfleet
