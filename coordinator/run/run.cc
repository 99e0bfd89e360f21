#include "coordinator/run/run.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/base/version.h"
#include "coordinator/plan/names.h"
#include "coordinator/plan/parse.h"
#include "coordinator/plan/secrets.h"
#include "coordinator/result/audit.h"
#include "coordinator/result/client_limit.h"
#include "coordinator/result/store.h"
#include "coordinator/run/auditor.h"
#include "coordinator/run/cell_run.h"
#include "coordinator/run/level_search.h"
#include "coordinator/run/limit_check.h"
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

std::string DataSetText(const Plan& plan) {
  if (plan.tables.empty()) {
    return fmt::format("{} x {} rows", Counted(plan.dataset.tables, "table"),
                       Grouped(plan.dataset.table_size));
  }
  int64_t rows = 0;
  for (const OwnTable& table : plan.tables) rows += table.rows;
  return fmt::format("{}, {}", Counted(static_cast<int64_t>(plan.tables.size()), "table"),
                     Counted(rows, "row"));
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
    result.data_set = DataSetText(plan_);
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
    return Execute(plan_.database.before_run, "database.before_run", ExitCode::kPreflight);
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
      if (!Pause() || !Measure(cell)) return;
    }
  }

  void RunSearches() {
    for (size_t workload = 0; workload < workloads_.size(); ++workload) {
      if (!Search(static_cast<int>(workload))) return;
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
  // False where the run must not go on; what went wrong has been noted.
  bool Measure(const Cell& cell) {
    if (!Execute(plan_.run.before_cell, "run.before_cell", ExitCode::kFailed)) return false;
    if (plan_.run.audit && !Check(Annotate(auditor_.Begin(), kAudit), ExitCode::kFailed)) {
      return false;
    }
    std::vector<std::string> before;
    if (!AskInvariants(cell, before)) return false;
    observer_.OnCellBegin(cell);
    end_.result.cells.push_back(
        RunCell(fleet_, plan_, workloads_[static_cast<size_t>(cell.workload)], cell, observer_));
    CellResult& result = end_.result.cells.back();
    NoteProblem(result);
    observer_.OnCellEnd(end_.result, result);
    const bool is_complete = result.status == CellStatus::kComplete;
    const bool audited = !is_complete || (Audit(result) && CheckInvariants(cell, before, result));
    return Store() && audited && is_complete &&
           Execute(plan_.run.after_cell, "run.after_cell", ExitCode::kFailed);
  }

  const std::vector<std::string>& InvariantsOf(const Cell& cell) const {
    static const std::vector<std::string> kNone;
    const auto& own = plan_.run.workloads[static_cast<size_t>(cell.workload)].own;
    return own ? own->invariants : kNone;
  }

  bool AskInvariants(const Cell& cell, std::vector<std::string>& answers) {
    const std::vector<std::string>& invariants = InvariantsOf(cell);
    if (invariants.empty()) return true;
    TaskSession session(fleet_, plan_, OneConnection());
    if (!Check(session.Open(), ExitCode::kFailed)) return false;
    for (const std::string& sql : invariants) {
      auto answer = session.Ask(sql);
      if (!Check(WithoutSecrets(Annotate(answer.status(), sql)), ExitCode::kFailed)) return false;
      answers.push_back(*std::move(answer));
    }
    return Check(session.Close(), ExitCode::kFailed);
  }

  // As with an audit, what does not hold does not end the run.
  bool CheckInvariants(const Cell& cell, const std::vector<std::string>& before,
                       CellResult& result) {
    std::vector<std::string> after;
    if (!AskInvariants(cell, after)) return false;
    for (size_t i = 0; i < after.size(); ++i) {
      result.invariants.push_back({InvariantsOf(cell)[i], before[i], after[i]});
      const InvariantResult& invariant = result.invariants.back();
      if (invariant.holds()) continue;
      Check(absl::DataLossError(fmt::format("{}: {}", PlaceOf(result), Describe(invariant))),
            ExitCode::kInvalid);
    }
    if (!after.empty()) observer_.OnInvariants(result);
    return true;
  }

  // Number 0 of the fleet, which goes to the first node.
  std::vector<AgentShare> OneConnection() const {
    std::vector<AgentShare> first(static_cast<size_t>(fleet_.size()));
    first.front().connections = 1;
    return first;
  }

  // Cells are numbered as the search comes to them.
  bool Search(int workload) {
    const SearchPlan& plan = *plan_.run.search;
    LevelSearch search(plan.from, plan.to);
    SearchResult result{.workload = plan_.run.workloads[static_cast<size_t>(workload)].label,
                        .vary = std::string(ToString(plan.vary)),
                        .limit = ToString(plan.limit)};
    while (const auto level = search.Next()) {
      Cell cell = LevelCell(workload, *level);
      if (search.confirming()) cell.time = plan.confirm_time;
      if (!Pause() || !Measure(cell)) return false;
      const CellResult& measured = end_.result.cells.back();
      const LevelOutcome outcome{.level = *level,
                                 .tps = measured.Tps(),
                                 .missed = MissedLimit(plan.limit, measured),
                                 .is_client_limited = HasNoTimeLeft(measured)};
      result.levels.push_back({measured.number, *level, outcome.tps, outcome.missed});
      result.tps = outcome.tps;
      search.Add(outcome);
    }
    result.answer = search.answer();
    result.reason = search.reason();
    if (!result.answer) result.tps = 0;
    observer_.OnSearch(result);
    end_.result.searches.push_back(std::move(result));
    const SearchResult& found = end_.result.searches.back();
    if (!found.answer) {
      Check(absl::OutOfRangeError(fmt::format("{}: {}", found.workload, Describe(found))),
            ExitCode::kLimitMissed);
    }
    return Store();
  }

  Cell LevelCell(int workload, int64_t level) {
    const RunPlan& run = plan_.run;
    const int number = static_cast<int>(end_.result.cells.size()) + 1;
    end_.result.planned_cells = number;
    if (run.search->vary == SearchDimension::kRate) {
      return MakeCell(plan_, number, workload, run.threads.front(), static_cast<double>(level));
    }
    return MakeCell(plan_, number, workload, static_cast<int>(level),
                    run.rates.empty() ? 0 : run.rates.front());
  }

  // Between two cells. An agent that is lost meanwhile is told by the next one.
  bool Pause() {
    if (end_.result.cells.empty()) return true;
    const auto deadline = steady_clock::now() + plan_.run.pause;
    while (steady_clock::now() < deadline) {
      const auto event = fleet_.Wait(deadline);
      if (!event) break;
      if (event->kind == FleetEvent::Kind::kInterrupt) {
        return Check(absl::CancelledError("interrupted between two cells"), ExitCode::kInterrupted);
      }
      if (event->kind == FleetEvent::Kind::kLost) {
        return Check(Annotate(event->status, fleet_.NameOf(event->agent)), ExitCode::kFailed);
      }
    }
    return true;
  }

  // Statements of the plan at `key`, on one connection to the first node.
  bool Execute(const std::vector<std::string>& sql, const char* key, ExitCode code) {
    if (sql.empty()) return true;
    auditor_.Forget();
    TaskSession session(fleet_, plan_, OneConnection());
    return Check(session.Open(), code) &&
           Check(WithoutSecrets(Annotate(session.RunScript(sql), key)), code) &&
           Check(session.Close(), ExitCode::kFailed);
  }

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
    plan.run.search ? runner.RunSearches() : runner.RunCells();
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
