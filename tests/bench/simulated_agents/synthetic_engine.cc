#include "tests/bench/simulated_agents/synthetic_engine.h"

#include <cmath>
#include <numbers>

#include "common/base/clock.h"
#include "common/random/random.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

constexpr size_t kLatencies = 1 << 16;
constexpr double kMedianNs = 1e6;
constexpr double kSigma = 0.5;  // of the logarithm: the 99th percentile is 3.2 times the median

std::vector<int64_t> DrawLatencies() {
  Random random(1);
  std::vector<int64_t> latencies_ns(kLatencies);
  for (int64_t& latency_ns : latencies_ns) {
    // Box and Muller's way to a normal distribution; 1 - x is never 0.
    const double normal = std::sqrt(-2 * std::log(1 - random.Double())) *
                          std::cos(2 * std::numbers::pi * random.Double());
    latency_ns = std::llround(kMedianNs * std::exp(kSigma * normal));
  }
  return latencies_ns;
}

class SyntheticTasks final : public TaskControl {
 public:
  SyntheticTasks(Engine::Executor post, TaskGroup::OpenedCallback on_opened,
                 TaskGroup::DoneCallback on_done)
      : post_(std::move(post)), on_opened_(std::move(on_opened)), on_done_(std::move(on_done)) {}

  void Open() override {
    post_([opened = on_opened_] { opened(absl::OkStatus()); });
  }
  void Submit(const v1::Task& task) override {
    v1::TaskDone answer;
    answer.set_id(task.id());
    answer.add_rows()->add_fields()->set_text("PostgreSQL 15.0 (simulated)");
    post_([done = on_done_, answer] { done(answer); });
  }
  void Close(std::function<void()> closed) override { post_(std::move(closed)); }

 private:
  const Engine::Executor post_;
  const TaskGroup::OpenedCallback on_opened_;
  const TaskGroup::DoneCallback on_done_;
};

}  // namespace

// A cell's course of time, on the clock's thread.
class SyntheticEngine::Course final : public std::enable_shared_from_this<Course> {
 public:
  Course(SyntheticEngine& engine, Shape shape, uint32_t windows, Executor post, CellEvents& events)
      : engine_(engine),
        shape_(std::move(shape)),
        windows_(windows),
        post_(std::move(post)),
        events_(events) {}

  void Start(int64_t start_ns) {
    if (finished_) return;
    start_ns_ = start_ns;
    WakeAt(start_ns, [](Course& course) { course.Begin(); });
  }

  void Stop() {
    if (finished_) return;
    reactor().Cancel(timer_);
    Finish();
  }

 private:
  Reactor& reactor() { return engine_.clock_.at(0); }

  void WakeAt(int64_t when_ns, void (*call)(Course&)) {
    timer_ = reactor().CallAt(when_ns, [self = shared_from_this(), call] { call(*self); });
  }

  void Begin() {
    begun_ = true;
    int64_t none = 0;
    engine_.first_start_ns_.compare_exchange_strong(none, start_ns_);
    // When the timer fired, and not when this one of a thousand has its turn.
    post_([&events = events_, now_ns = reactor().now_ns()] { events.OnCellStarted(now_ns); });
    AwaitBoundary();
  }

  void AwaitBoundary() {
    WakeAt(start_ns_ + (window_ + 1) * kNanosPerSecond, [](Course& course) { course.Boundary(); });
  }

  void Boundary() {
    post_([self = shared_from_this(), number = window_] {
      self->engine_.EmitWindow(self->shape_, number, self->events_, self->engine_.transactions_);
    });
    if (++window_ < windows_) return AwaitBoundary();
    Finish();
  }

  // A real cell's last window has what completed behind the end; here there is nothing.
  void Finish() {
    finished_ = true;
    const CellEnd end{.elapsed_ns = begun_ ? SteadyNanos() - start_ns_ : 0};
    post_([self = shared_from_this(), end] {
      if (self->begun_) {
        self->engine_.EmitWindow(self->shape_, self->window_, self->events_, 0);
      }
      self->events_.OnCellDone(end);
    });
  }

  SyntheticEngine& engine_;
  const Shape shape_;
  const uint32_t windows_;
  const Executor post_;
  CellEvents& events_;
  Reactor::TimerId timer_{};
  int64_t start_ns_ = 0;
  uint32_t window_ = 0;
  bool begun_ = false;
  bool finished_ = false;
};

class SyntheticEngine::SyntheticCell final : public CellControl {
 public:
  SyntheticCell(Reactor& clock, std::shared_ptr<Course> course, std::function<void()> armed)
      : clock_(clock), course_(std::move(course)), armed_(std::move(armed)) {}

  void Arm() override { armed_(); }
  void Start(int64_t start_ns) override {
    clock_.Post([course = course_, start_ns] { course->Start(start_ns); });
  }
  // Its throughput is no less steady at first.
  void EndWarmup(uint32_t /*windows*/) override {}
  void Stop(std::chrono::milliseconds /*grace*/) override {
    clock_.Post([course = course_] { course->Stop(); });
  }

 private:
  Reactor& clock_;
  const std::shared_ptr<Course> course_;
  const std::function<void()> armed_;
};

SyntheticEngine::SyntheticEngine(size_t transactions)
    : transactions_(transactions), latencies_ns_(DrawLatencies()) {}

absl::StatusOr<std::unique_ptr<CellControl>> SyntheticEngine::MakeCell(const v1::Arm& order,
                                                                       Executor post,
                                                                       CellEvents& events) {
  if (order.measured_windows() == 0) {
    return absl::InvalidArgumentError("simulated agents need run.time");
  }
  const Shape shape(order.workload().transactions_size(), order.workload().statements_size());
  MeasureSnapshot(shape);
  const uint32_t windows = order.warmup_windows() + order.measured_windows();
  auto course = std::make_shared<Course>(*this, shape, windows, post, events);
  return std::make_unique<SyntheticCell>(clock_.at(0), std::move(course), [post, &events] {
    post([&events] { events.OnCellArmed(absl::OkStatus()); });
  });
}

absl::StatusOr<std::unique_ptr<TaskControl>> SyntheticEngine::MakeTasks(
    const v1::OpenTasks& /*order*/, Executor post, TaskGroup::OpenedCallback on_opened,
    TaskGroup::DoneCallback on_done) {
  return std::make_unique<SyntheticTasks>(std::move(post), std::move(on_opened),
                                          std::move(on_done));
}

uint64_t SyntheticEngine::snapshot_bytes() const {
  const uint64_t snapshots = measured_snapshots_;
  return snapshots == 0 ? 0 : measured_bytes_ / snapshots;
}

void SyntheticEngine::EmitWindow(const Shape& shape, uint32_t number, CellEvents& events,
                                 size_t transactions) {
  const std::lock_guard lock(mutex_);
  Window& window = WindowOf(shape);
  window.number = number;
  Fill(window, transactions);
  events.OnCellWindow(window);
  window.Clear();
}

Window& SyntheticEngine::WindowOf(const Shape& shape) {
  const WindowShape window{.transaction_kinds = shape.first, .statement_kinds = shape.second};
  return windows_.try_emplace(shape, window).first->second;
}

void SyntheticEngine::Fill(Window& window, size_t transactions) {
  const Outcome outcome{.kind = OutcomeKind::kRows, .rows = 1};
  const size_t kinds = window.statements.size();
  for (size_t statement = 0; statement < kinds; ++statement) {
    for (size_t i = 0; i < transactions; ++i) {
      window.RecordStatement(statement, outcome, latencies_ns_[next_latency_++ % kLatencies]);
    }
  }
  for (Histogram& kind : window.transactions) {
    for (size_t i = 0; i < transactions; ++i) {
      kind.Record(static_cast<int64_t>(kinds) * latencies_ns_[next_latency_++ % kLatencies]);
    }
  }
  for (size_t i = 0; i < transactions; ++i) window.batches.Record(latencies_ns_[i] / 100);
  window.loop_ns = window.busiest_loop_ns = kNanosPerSecond;
  window.busy_ns = window.busiest_busy_ns = kNanosPerSecond / 2;
}

void SyntheticEngine::MeasureSnapshot(const Shape& shape) {
  const std::lock_guard lock(mutex_);
  Window& window = WindowOf(shape);
  Fill(window, transactions_);
  v1::Snapshot snapshot;
  ToProto(window, snapshot);
  window.Clear();
  measured_bytes_ += snapshot.ByteSizeLong();
  ++measured_snapshots_;
}

}  // namespace sysfleet
