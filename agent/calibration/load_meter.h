// Runs point selects on reactors against null servers, and takes what they cost. One measurement an
// object; it belongs to one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "agent/engine/cell.h"
#include "agent/engine/reactor_pool.h"
#include "common/base/serial_queue.h"

namespace sysfleet {

/// Counts since any time in the past.
struct LoadReading {
  /// Of what drives the load.
  int64_t cpu_ns = 0;
  uint64_t statements = 0;
};

class LoadMeter final : private CellEvents {
 public:
  /// `order` must have no end of its own. `read` is called on the thread of Measure.
  LoadMeter(ReactorPool& reactors, CellOrder order, std::function<LoadReading()> read);

  /// Opens the connections, loads for `lead_in` and then for `time`, and closes them again. What
  /// was spent and done in `time`; or why the load could not begin or go on.
  absl::StatusOr<LoadReading> Measure(std::chrono::nanoseconds lead_in,
                                      std::chrono::nanoseconds time);

 private:
  void OnCellArmed(const absl::Status& status) override;
  void OnCellStarted(int64_t /*began_ns*/) override {}
  void OnCellWindow(const Window& /*window*/) override {}
  void OnCellDone(const CellEnd& end) override;

  LoadReading LoadFor(std::chrono::nanoseconds time);

  const std::function<LoadReading()> read_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  bool armed_ = false;
  bool done_ = false;
  absl::Status status_;

  std::unique_ptr<Cell> cell_;
  SerialQueue queue_;  // whatever the cell does on this side; ends before the rest goes
};

}  // namespace sysfleet
