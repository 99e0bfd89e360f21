#include "agent/session/session.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/rpc/error.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

// A coordinator that asks to stop waits at most 2 s in all.
constexpr std::chrono::milliseconds kStopGrace{1'000};

void ToProto(const Usage& usage, v1::Health& health) {
  health.set_cpu_ns(static_cast<uint64_t>(usage.cpu_ns));
  if (usage.stolen_ns) health.set_stolen_ns(static_cast<uint64_t>(*usage.stolen_ns));
  health.set_cores_ns(static_cast<uint64_t>(usage.cores_ns));
}

std::optional<SessionInput> InputOf(const v1::CoordinatorMessage& message) {
  switch (message.body_case()) {
    case v1::CoordinatorMessage::kLease:
      return SessionInput::kLease;
    case v1::CoordinatorMessage::kOpenTasks:
      return SessionInput::kOpenTasks;
    case v1::CoordinatorMessage::kTask:
      return SessionInput::kTask;
    case v1::CoordinatorMessage::kCloseTasks:
      return SessionInput::kCloseTasks;
    case v1::CoordinatorMessage::kArm:
      return SessionInput::kArm;
    case v1::CoordinatorMessage::kStart:
      return SessionInput::kStart;
    case v1::CoordinatorMessage::kEndWarmup:
      return SessionInput::kEndWarmup;
    case v1::CoordinatorMessage::kStop:
      return SessionInput::kStop;
    default:
      return std::nullopt;
  }
}

}  // namespace

Session::Session(Engine& engine, SerialQueue& queue, std::shared_ptr<SessionLink> link,
                 std::function<void()> ended)
    : engine_(engine), queue_(queue), link_(std::move(link)), ended_(std::move(ended)) {}

Session::~Session() = default;

void Session::OnMessage(const v1::CoordinatorMessage& message) {
  const auto input = InputOf(message);
  if (!input) return Refuse("a message of an unknown kind");
  const bool leased = state_ != SessionState::kAwaitingLease;
  if (leased && (message.run_id() != run_id_ || message.epoch() != epoch_)) {
    return Refuse(fmt::format("a message of run {} epoch {}, the lease is of run {} epoch {}",
                              message.run_id(), message.epoch(), run_id_, epoch_));
  }
  Step(*input, &message);
}

void Session::End() {
  if (state_ != SessionState::kIdle && state_ != SessionState::kEnded) {
    spdlog::warn("run {} ends while {}; ending its load", run_id_, ToString(state_));
  }
  Step(SessionInput::kLeaseEnd, nullptr);
}

std::string Session::Busy() const {
  return fmt::format("busy with run {} (coordinator on {}) since {}",
                     run_name_.empty() ? "not named yet" : run_name_,
                     coordinator_host_.empty() ? "an unknown host" : coordinator_host_,
                     IsoUtc(since_));
}

void Session::Step(SessionInput input, const v1::CoordinatorMessage* message) {
  const auto step = StepSession(state_, input);
  if (!step) {
    return Refuse(fmt::format("a message that does not fit: the agent is {}", ToString(state_)));
  }
  state_ = step->next;
  Act(step->action, message);
}

void Session::Act(SessionAction action, const v1::CoordinatorMessage* message) {
  switch (action) {
    case SessionAction::kNone:
      break;
    case SessionAction::kAcceptLease:
      return AcceptLease(*message);
    case SessionAction::kOpenTasks:
      return OpenTasks(message->open_tasks());
    case SessionAction::kReportTasksOpened:
      return ReportTasksOpened();
    case SessionAction::kSubmitTask:
      if (!tasks_) return Refuse("a task, but its connections could not be opened");
      return tasks_->Submit(message->task());
    case SessionAction::kCloseTasks:
    case SessionAction::kAbortTasks:
      return CloseTasks();
    case SessionAction::kReportTasksClosed: {
      tasks_.reset();
      v1::AgentMessage report;
      report.mutable_tasks_closed();
      return Send(std::move(report));
    }
    case SessionAction::kArmCell:
      return Arm(message->arm());
    case SessionAction::kReportArmed:
      return ReportArmed();
    case SessionAction::kStartCell:
      // Again at the start itself; a cell that is stopped just then may have windows all the same.
      usage_.Restart();
      return cell_->Start(message->start().start_ns());
    case SessionAction::kEndWarmup:
      return cell_->EndWarmup(message->end_warmup().warmup_windows());
    case SessionAction::kStopCell:
    case SessionAction::kAbortCell:
      if (cell_) cell_->Stop(kStopGrace);
      break;
    case SessionAction::kReportDone:
      return ReportDone();
    case SessionAction::kEnd:
      tasks_.reset();
      cell_.reset();
      return ended_();
  }
}

void Session::AcceptLease(const v1::CoordinatorMessage& message) {
  const v1::Lease& lease = message.lease();
  run_id_ = message.run_id();
  epoch_ = message.epoch();
  run_name_ = lease.run_name();
  coordinator_host_ = lease.coordinator_host();
  spdlog::info("leased to run {} of the coordinator on {}", run_id_, coordinator_host_);
}

void Session::OpenTasks(const v1::OpenTasks& message) {
  auto tasks = engine_.MakeTasks(
      message, [this](std::function<void()> call) { queue_.Post(std::move(call)); },
      [this](const absl::Status& status) {
        engine_status_ = status;
        Step(SessionInput::kTasksOpened, nullptr);
      },
      [this](const v1::TaskDone& done) {
        v1::AgentMessage report;
        *report.mutable_task_done() = done;
        Send(std::move(report));
      });
  if (!tasks.ok()) {
    engine_status_ = tasks.status();
    return Step(SessionInput::kTasksOpened, nullptr);
  }
  tasks_ = *std::move(tasks);
  tasks_->Open();
}

void Session::ReportTasksOpened() {
  v1::AgentMessage report;
  ToMessage(engine_status_, *report.mutable_tasks_opened()->mutable_error());
  Send(std::move(report));
}

void Session::CloseTasks() {
  if (!tasks_) return Step(SessionInput::kTasksClosed, nullptr);
  tasks_->Close([this] { Step(SessionInput::kTasksClosed, nullptr); });
}

void Session::Arm(const v1::Arm& arm) {
  cell_number_ = arm.cell();
  snapshots_ = 0;
  CellEvents& events = *this;
  auto cell = engine_.MakeCell(
      arm, [this](std::function<void()> call) { queue_.Post(std::move(call)); }, events);
  if (!cell.ok()) {
    engine_status_ = cell.status();
    Step(SessionInput::kCellArmed, nullptr);
    cell_end_ = {.status = cell.status()};
    return Step(SessionInput::kCellDone, nullptr);
  }
  cell_ = *std::move(cell);
  cell_->Arm();
}

void Session::OnCellArmed(const absl::Status& status) {
  engine_status_ = status;
  Step(SessionInput::kCellArmed, nullptr);
}

void Session::ReportArmed() {
  v1::AgentMessage report;
  report.mutable_armed()->set_cell(cell_number_);
  ToMessage(engine_status_, *report.mutable_armed()->mutable_error());
  Send(std::move(report));
}

void Session::OnCellStarted(int64_t began_ns) {
  usage_.Restart();
  v1::AgentMessage report;
  report.mutable_started()->set_cell(cell_number_);
  report.mutable_started()->set_first_ns(began_ns);
  Send(std::move(report));
}

void Session::OnCellWindow(const Window& window) {
  v1::AgentMessage report;
  v1::Snapshot& snapshot = *report.mutable_snapshot();
  ToProto(window, snapshot);
  snapshot.set_cell(cell_number_);
  snapshot.set_sequence(++snapshots_);
  ToProto(usage_.Take(), *snapshot.mutable_health());
  Send(std::move(report));
}

void Session::OnCellDone(const CellEnd& end) {
  cell_end_ = end;
  Step(SessionInput::kCellDone, nullptr);
}

void Session::ReportDone() {
  v1::AgentMessage report;
  v1::Done& done = *report.mutable_done();
  done.set_cell(cell_number_);
  ToMessage(cell_end_.status, *done.mutable_error());
  done.set_snapshots(snapshots_);
  done.set_elapsed_ns(static_cast<uint64_t>(cell_end_.elapsed_ns));
  done.set_unfinished(cell_end_.unfinished);
  done.set_not_begun(cell_end_.not_begun);
  done.set_warmup_left_out(cell_end_.warmup_left_out);
  v1::Fairness& fairness = *done.mutable_fairness();
  fairness.set_events(cell_end_.fairness.events);
  fairness.set_events_squares(cell_end_.fairness.events_squares);
  fairness.set_busy_s(cell_end_.fairness.busy_s);
  fairness.set_busy_s_squares(cell_end_.fairness.busy_s_squares);
  cell_.reset();
  Send(std::move(report));
}

void Session::Send(v1::AgentMessage message) {
  message.set_run_id(run_id_);
  message.set_epoch(epoch_);
  link_->Send(std::move(message));
}

// The coordinator breaks the protocol: better to end the session than to guess what it wants.
void Session::Refuse(const std::string& why) {
  spdlog::error("refused {}", why);
  link_->Finish(absl::FailedPreconditionError(why));
  Step(SessionInput::kLeaseEnd, nullptr);
}

}  // namespace sysfleet
