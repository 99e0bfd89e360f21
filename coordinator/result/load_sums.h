// Adds up what agents report of their own work, window by window: what a ClientLoad is made from.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "common/histogram/histogram.h"
#include "coordinator/result/result.h"

namespace sysfleet {

namespace v1 {
class Health;
}

class LoadSums {
 public:
  /// One window of one agent. INVALID_ARGUMENT for a malformed histogram; nothing is added then.
  absl::Status Add(const v1::Health& health);
  /// As if all that `other` was told had been told here.
  void Add(const LoadSums& other);

  /// Time-weighted, of the reactor that was the busiest in each window of each agent.
  std::optional<double> BusiestShare() const;

  /// Of windows that make up `measured_seconds`.
  ClientLoad Over(double measured_seconds) const;

 private:
  uint64_t busy_ns_ = 0;
  uint64_t loop_ns_ = 0;
  uint64_t busiest_busy_ns_ = 0;
  uint64_t busiest_loop_ns_ = 0;
  uint64_t cpu_ns_ = 0;
  uint64_t stolen_ns_ = 0;
  uint64_t cores_ns_ = 0;  // of the windows whose stolen time is known
  CoarseHistogram batches_;
};

}  // namespace sysfleet
