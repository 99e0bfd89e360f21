#include "coordinator/fleet/fleet_event.h"

#include <iterator>
#include <utility>

namespace sysfleet {

void FleetInbox::Push(FleetEvent event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  changed_.notify_one();
}

void FleetInbox::PushFront(std::vector<FleetEvent> events) {
  const std::lock_guard lock(mutex_);
  events_.insert(events_.begin(), std::make_move_iterator(events.begin()),
                 std::make_move_iterator(events.end()));
}

std::optional<FleetEvent> FleetInbox::Pop(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_until(lock, deadline, [this] { return !events_.empty(); })) {
    return std::nullopt;
  }
  FleetEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

}  // namespace sysfleet
