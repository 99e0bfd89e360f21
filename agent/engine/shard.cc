#include "agent/engine/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/base/clock.h"

namespace sysfleet {
namespace {

// A server forks or spawns for each new connection, and its queue of connections is short.
constexpr size_t kOpeningMax = 64;

}  // namespace

std::unique_ptr<Window> WindowPool::Take() {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      auto window = std::move(spare_.back());
      spare_.pop_back();
      return window;
    }
  }
  return std::make_unique<Window>(shape_);
}

void WindowPool::Return(std::unique_ptr<Window> window) {
  window->Clear();
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(window));
}

Shard::Shard(Reactor& reactor, const CellOrder& order, std::vector<int64_t> connections,
             WindowPool& pool, ShardEvents& events)
    : reactor_(reactor),
      order_(order),
      pool_(pool),
      events_(events),
      context_{.reactor = reactor, .order = order, .warmup_windows = order.warmup_windows},
      window_(pool.Take()) {
  context_.window = window_.get();
  WorkerEvents& worker_events = *this;
  workers_.reserve(connections.size());
  for (const int64_t connection : connections) {
    workers_.push_back(std::make_unique<Worker>(context_, worker_events, connection));
  }
}

Shard::~Shard() = default;

void Shard::Arm() {
  deadline_ns_ = SteadyNanos() + std::chrono::nanoseconds(order_.connect_timeout).count();
  ArmMore();
}

void Shard::ArmMore() {
  while (!context_.stopping && arming_begun_ < workers_.size() &&
         arming_begun_ - arming_ended_ < kOpeningMax) {
    workers_[arming_begun_++]->Arm(deadline_ns_);
  }
}

void Shard::OnWorkerArmed(const absl::Status& status) {
  ++arming_ended_;
  if (!status.ok()) {
    ReportArmed(status);
    Stop(std::chrono::milliseconds(0));
    return;
  }
  if (arming_ended_ == workers_.size()) return ReportArmed(absl::OkStatus());
  // From the loop, not from here: a connection may be ready at once, and calls would nest.
  reactor_.Cancel(arm_timer_);
  arm_timer_ = reactor_.CallAt(0, [this] { ArmMore(); });
}

void Shard::ReportArmed(const absl::Status& status) {
  if (std::exchange(armed_reported_, true)) return;
  events_.OnShardArmed(status);
}

void Shard::Start(int64_t start_ns) {
  if (context_.stopping) return;
  start_ns_ = context_.start_ns = start_ns;
  const uint32_t count = windows();
  context_.end_ns = count == UINT32_MAX ? INT64_MAX : start_ns + count * kNanosPerSecond;
  start_timer_ = reactor_.CallAt(start_ns, [this] { Release(); });
}

void Shard::Release() {
  if (context_.stopping) return;
  released_ = true;
  window_end_ns_ = start_ns_ + kNanosPerSecond;
  reactor_.TakeLoopTimes(window_->batches);  // until now it was idle, or connecting
  reactor_.SetObserver(this);
  ScheduleBoundary();
  ScheduleEnd();
  const int64_t began_ns = SteadyNanos();
  for (auto& worker : workers_) worker->Wake();
  events_.OnShardStarted(began_ns);
}

void Shard::ScheduleEnd() {
  if (context_.end_ns == INT64_MAX) return;
  end_timer_ = reactor_.CallAt(context_.end_ns, [this] { Stop(order_.drain); });
}

uint32_t Shard::windows() const {
  return order_.measured_windows == 0 ? UINT32_MAX
                                      : context_.warmup_windows + order_.measured_windows;
}

void Shard::EndWarmup(uint32_t windows) {
  if (!released_ || finishing_ || windows >= context_.warmup_windows) return;
  context_.warmup_windows = windows;
  if (context_.end_ns == INT64_MAX) return;
  context_.end_ns = start_ns_ + this->windows() * kNanosPerSecond;
  reactor_.Cancel(end_timer_);
  ScheduleEnd();
}

// Windows change even while no events come.
void Shard::ScheduleBoundary() {
  boundary_timer_ = reactor_.CallAt(window_end_ns_, [] {});
}

void Shard::OnBatch(int64_t arrival_ns) {
  while (arrival_ns >= window_end_ns_) CloseWindow();
}

void Shard::CloseWindow() {
  const uint32_t next = window_->number + 1;
  EmitWindow();
  window_ = pool_.Take();
  window_->number = next;
  context_.window = window_.get();
  // What completes after the end is kept apart, in one window behind the last.
  window_end_ns_ = next >= windows() ? INT64_MAX : window_end_ns_ + kNanosPerSecond;
  reactor_.Cancel(boundary_timer_);
  if (window_end_ns_ != INT64_MAX) ScheduleBoundary();
}

void Shard::EmitWindow() {
  const LoopTimes times = reactor_.TakeLoopTimes(window_->batches);
  window_->busy_ns = window_->busiest_busy_ns = times.busy_ns;
  window_->loop_ns = window_->busiest_loop_ns = times.total_ns;
  window_->connected = static_cast<uint32_t>(std::count_if(
      workers_.begin(), workers_.end(), [](const auto& worker) { return worker->connected(); }));
  if (order_.open_loop) CountQueue();
  events_.OnShardWindow(std::move(window_));
}

void Shard::CountQueue() {
  const int64_t until_ns = std::min(context_.end_ns, reactor_.now_ns());
  for (const auto& worker : workers_) {
    window_->queued += static_cast<uint64_t>(worker->Queued(until_ns));
    if (worker->in_transaction()) ++window_->active;
  }
}

void Shard::Stop(std::chrono::milliseconds grace) {
  if (finishing_) return;
  context_.stopping = true;
  // A later call may bring the cut-off forward, never put it off.
  const int64_t cut_off_ns = SteadyNanos() + std::chrono::nanoseconds(grace).count();
  if (cut_off_ns < cut_off_ns_) {
    cut_off_ns_ = cut_off_ns;
    reactor_.Cancel(cut_off_timer_);
    cut_off_timer_ =
        reactor_.CallAt(cut_off_ns, [this] { CutOffAll("cut off at the end of the cell"); });
  }
  // Workers that were never begun have nothing to end.
  workers_.resize(arming_begun_);
  for (auto& worker : workers_) worker->Wake();
  FinishIfAllEnded();
}

void Shard::CutOffAll(std::string_view reason) {
  for (auto& worker : workers_) {
    if (worker->ended()) continue;
    if (worker->in_transaction()) ++end_.unfinished;
    worker->CutOff(reason);
  }
}

// At once: the next transaction's BEGIN would commit what the failed one left behind on MySQL.
void Shard::OnWorkerFailed(const absl::Status& status) {
  context_.stopping = true;
  events_.OnShardFailed(status);
}

void Shard::OnWorkerEnded() {
  ++workers_ended_;
  FinishIfAllEnded();
}

// Posted, because the caller may be a worker's coroutine, which Finish destroys.
void Shard::FinishIfAllEnded() {
  if (finishing_ || workers_ended_ < workers_.size()) return;
  finishing_ = true;
  reactor_.Post([this] { Finish(); });
}

void Shard::Finish() {
  // Nothing of the loop may know this object from now on.
  for (const Reactor::TimerId& timer :
       {arm_timer_, start_timer_, boundary_timer_, end_timer_, cut_off_timer_}) {
    reactor_.Cancel(timer);
  }
  reactor_.SetObserver(nullptr);
  if (context_.last_completion_ns > start_ns_) {
    end_.elapsed_ns = context_.last_completion_ns - start_ns_;
  }
  if (released_) EmitWindow();
  for (const auto& worker : workers_) {
    end_.not_begun += static_cast<uint64_t>(worker->not_begun());
    end_.warmup_left_out += static_cast<uint64_t>(worker->warmup_left_out());
    end_.fairness.AddConnection(worker->events(), worker->busy_ns());
  }
  workers_.clear();
  events_.OnShardDone(end_);
}

}  // namespace sysfleet
