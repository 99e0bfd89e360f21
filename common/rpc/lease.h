// Whether the other side of a session is still there, by when it was heard last. A value; pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace sysfleet {

/// How long a session outlives silence, where the plan says nothing.
inline constexpr std::chrono::milliseconds kLeaseTime{10'000};

class Lease {
 public:
  Lease(std::chrono::milliseconds time, int64_t now_ns)
      : time_(time), heard_ns_(now_ns), looked_ns_(now_ns) {}

  std::chrono::milliseconds time() const { return time_; }

  /// How often each side says something: so often that some of it may be lost or late.
  std::chrono::milliseconds heartbeat() const {
    return std::clamp(time_ / 8, std::chrono::milliseconds(20), std::chrono::milliseconds(1'250));
  }

  void OnHeard(int64_t now_ns) { heard_ns_ = std::max(heard_ns_, now_ns); }

  /// To be called much more often than the lease is long: a process that did not come to call it
  /// for so long stood still, and what it then finds in its sockets is old.
  void OnLook(int64_t now_ns) {
    stood_still_ = stood_still_ || now_ns - looked_ns_ > time_ns();
    looked_ns_ = now_ns;
  }

  bool IsOver(int64_t now_ns) const { return stood_still_ || now_ns - heard_ns_ > time_ns(); }

  /// The process of who holds this did not run for longer than the lease.
  bool stood_still() const { return stood_still_; }

  std::chrono::nanoseconds Silence(int64_t now_ns) const {
    return std::chrono::nanoseconds(std::max<int64_t>(0, now_ns - heard_ns_));
  }

 private:
  int64_t time_ns() const { return std::chrono::nanoseconds(time_).count(); }

  std::chrono::milliseconds time_;
  int64_t heard_ns_;
  int64_t looked_ns_;
  bool stood_still_ = false;
};

}  // namespace sysfleet
