// What happens to a fleet, in the order in which the run hears of it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/status.h"

namespace sysfleet {

namespace v1 {
class AgentMessage;
}

struct FleetEvent {
  enum class Kind : uint8_t {
    kMessage,
    kAttached,  // an agent can be spoken to, at first or again; what was sent to it has arrived
    kLost,
    kInterrupt,
  };
  Kind kind = Kind::kInterrupt;
  int agent = 0;
  // kMessage.
  std::shared_ptr<const v1::AgentMessage> message;
  int64_t received_ns = 0;
  // kLost: why.
  absl::Status status;
};

/// Thread-safe.
class FleetInbox {
 public:
  void Push(FleetEvent event);
  /// For events that were taken too early.
  void PushFront(std::vector<FleetEvent> events);
  /// Nothing at the deadline.
  std::optional<FleetEvent> Pop(std::chrono::steady_clock::time_point deadline);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FleetEvent> events_;  // guarded by mutex_
};

}  // namespace sysfleet
