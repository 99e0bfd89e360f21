#include "agent/load/task_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/engine/task.h"
#include "agent/load/outcome_status.h"
#include "agent/load/task_runner.h"
#include "common/base/status.h"
#include "common/random/random.h"
#include "common/rpc/error.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

constexpr int64_t kReopenPauseMinNs = 100'000'000;
constexpr int64_t kReopenPauseMaxNs = 5'000'000'000;

}  // namespace

// A connection and the coroutine that keeps it busy.
class TaskPool::Slot {
 public:
  Slot(TaskPool& pool, size_t number, ConnectionOptions options)
      : pool_(pool), options_(std::move(options)), random_(number), sleeper_(pool.reactor_) {}
  ~Slot() { pool_.reactor_.Cancel(connect_timer_); }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  void Start() {
    main_ = Run();
    main_.Start();
  }

  /// A task waits.
  void Wake() { sleeper_.Wake(); }

  /// Ends what it is doing, and so the coroutine.
  void BreakOff() {
    if (connection_) connection_->Close("the tasks were broken off");
    sleeper_.Wake();
  }

  bool idle() const { return idle_; }

 private:
  Task<> Run();
  Task<absl::Status> Connect();
  Task<> Reopen();
  Task<> RunNext();

  TaskPool& pool_;
  const ConnectionOptions options_;
  Random random_;
  std::unique_ptr<Connection> connection_;
  Sleeper sleeper_;
  Reactor::TimerId connect_timer_{};
  bool connected_ = false;
  bool idle_ = false;
  Task<> main_;
};

Task<> TaskPool::Slot::Run() {
  const absl::Status opened = co_await Connect();
  pool_.OnSlotOpened(opened);
  while (opened.ok() && !pool_.closing_) {
    if (connected_) {
      co_await RunNext();
    } else {
      co_await Reopen();
    }
  }
  if (connection_) connection_->Close("the tasks are done");
  pool_.OnSlotEnded();
}

Task<absl::Status> TaskPool::Slot::Connect() {
  connection_ = MakeConnection(pool_.family_, options_, pool_.reactor_);
  connect_timer_ = pool_.reactor_.CallAt(SteadyNanos() + pool_.connect_timeout_.count(), [this] {
    connection_->Close("no answer within the time limit");
  });
  const Outcome& outcome = co_await connection_->Connect();
  pool_.reactor_.Cancel(connect_timer_);
  connected_ = outcome.ok();
  if (connected_) ++pool_.connected_;
  co_return ToStatus(outcome, options_.node, "connecting");
}

Task<> TaskPool::Slot::Reopen() {
  int64_t pause_ns = kReopenPauseMinNs;
  while (!pool_.closing_) {
    // Half to one and a half, so that connections that were lost together do not return together.
    co_await sleeper_.Until(SteadyNanos() + pause_ns / 2 + random_.Uniform(0, pause_ns));
    if (pool_.closing_) co_return;
    const absl::Status opened = co_await Connect();
    if (opened.ok()) co_return;
    pool_.OnReopenFailed(opened);
    pause_ns = std::min(2 * pause_ns, kReopenPauseMaxNs);
  }
}

Task<> TaskPool::Slot::RunNext() {
  const std::unique_ptr<v1::Task> task = pool_.TakeTask();
  if (task == nullptr) {
    idle_ = true;
    co_await sleeper_.Forever();
    idle_ = false;
    co_return;
  }
  const v1::TaskDone done = co_await RunTask(*connection_, pool_.family_, options_.node, *task);
  if (connection_->last_outcome().kind == OutcomeKind::kLost) {
    connected_ = false;
    if (--pool_.connected_ == 0) pool_.outage_since_ns_ = pool_.reactor_.now_ns();
  }
  pool_.Answer(done);
}

TaskPool::TaskPool(Reactor& reactor, DriverFamily family,
                   std::vector<ConnectionOptions> connections,
                   std::chrono::milliseconds connect_timeout, OpenedCallback on_opened,
                   DoneCallback on_done)
    : reactor_(reactor),
      family_(family),
      connect_timeout_(connect_timeout),
      on_opened_(std::move(on_opened)),
      on_done_(std::move(on_done)) {
  for (ConnectionOptions& options : connections) {
    slots_.push_back(std::make_unique<Slot>(*this, slots_.size(), std::move(options)));
  }
}

TaskPool::~TaskPool() = default;

void TaskPool::Open() {
  slots_running_ = slots_.size();
  for (const auto& slot : slots_) slot->Start();
}

void TaskPool::OnSlotOpened(const absl::Status& status) {
  if (open_status_.ok()) open_status_ = status;
  if (++slots_opened_ == slots_.size() && !closing_) on_opened_(open_status_);
}

void TaskPool::Submit(const v1::Task& task) {
  waiting_.push_back(std::make_unique<v1::Task>(task));
  const auto idle =
      std::find_if(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->idle(); });
  if (idle != slots_.end()) (*idle)->Wake();
}

std::unique_ptr<v1::Task> TaskPool::TakeTask() {
  if (waiting_.empty()) return nullptr;
  std::unique_ptr<v1::Task> task = std::move(waiting_.front());
  waiting_.pop_front();
  return task;
}

void TaskPool::Answer(const v1::TaskDone& done) {
  if (!closing_) on_done_(done);
}

void TaskPool::OnReopenFailed(const absl::Status& failure) {
  const int64_t outage_ns = reactor_.now_ns() - outage_since_ns_;
  if (connected_ > 0 || outage_ns < connect_timeout_.count()) return;
  FailWaiting(absl::UnavailableError(
      fmt::format("{}; no connection for {} s", Message(failure), outage_ns / kNanosPerSecond)));
}

void TaskPool::FailWaiting(const absl::Status& failure) {
  // Answers may submit further tasks; those wait for the next attempt.
  for (size_t left = waiting_.size(); left > 0 && !closing_; --left) {
    const std::unique_ptr<v1::Task> task = TakeTask();
    v1::TaskDone done;
    done.set_id(task->id());
    ToMessage(failure, *done.mutable_error());
    Answer(done);
  }
}

void TaskPool::Close(std::function<void()> closed) {
  closed_ = std::move(closed);
  closing_ = true;
  waiting_.clear();
  for (const auto& slot : slots_) slot->BreakOff();
  TellClosed();
}

void TaskPool::OnSlotEnded() {
  --slots_running_;
  TellClosed();
}

void TaskPool::TellClosed() {
  if (!closing_ || slots_running_ > 0 || closed_ == nullptr) return;
  // Posted, so that the callback may destroy the pool: a slot's coroutine may be running here.
  reactor_.Post(std::exchange(closed_, nullptr));
}

}  // namespace sysfleet
