#include "agent/calibration/load_meter.h"

#include <utility>

#include "common/base/clock.h"

namespace sysfleet {
namespace {

// A null server answers at once; this is for a machine that has no time for it.
constexpr std::chrono::seconds kGrace{1};

// Where others keep the machine busy, a short time may pass without a single statement.
constexpr uint64_t kStatementsMin = 1000;
constexpr std::chrono::seconds kPatience{30};

}  // namespace

LoadMeter::LoadMeter(ReactorPool& reactors, CellOrder order, std::function<LoadReading()> read)
    : read_(std::move(read)),
      cell_(std::make_unique<Cell>(
          reactors, std::move(order),
          [this](std::function<void()> call) { queue_.Post(std::move(call)); },
          static_cast<CellEvents&>(*this))) {}

absl::StatusOr<LoadReading> LoadMeter::Measure(std::chrono::nanoseconds lead_in,
                                               std::chrono::nanoseconds time) {
  queue_.Post([this] { cell_->Arm(); });
  {
    // Arming has a time limit of its own.
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return armed_; });
  }
  queue_.Post([this] { cell_->Start(SteadyNanos()); });
  LoadFor(lead_in);
  const LoadReading spent = LoadFor(time);
  queue_.Post([this] { cell_->Stop(kGrace); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_; });
  if (!status_.ok()) return status_;
  return spent;
}

LoadReading LoadMeter::LoadFor(std::chrono::nanoseconds time) {
  const LoadReading before = read_();
  const auto begin = std::chrono::steady_clock::now();
  LoadReading spent;
  bool done = false;
  do {
    {
      // It is done early only where it has failed.
      std::unique_lock lock(mutex_);
      done = changed_.wait_for(lock, time, [this] { return done_; });
    }
    const LoadReading now = read_();
    spent = {.cpu_ns = now.cpu_ns - before.cpu_ns,
             .statements = now.statements - before.statements};
  } while (!done && spent.statements < kStatementsMin &&
           std::chrono::steady_clock::now() - begin < kPatience);
  return spent;
}

void LoadMeter::OnCellArmed(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  armed_ = true;
  status_ = status;
  changed_.notify_all();
}

void LoadMeter::OnCellDone(const CellEnd& end) {
  const std::lock_guard lock(mutex_);
  done_ = true;
  if (status_.ok()) status_ = end.status;
  changed_.notify_all();
}

}  // namespace sysfleet
