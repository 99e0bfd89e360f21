// An agent's clock against ours, from round trips: the fastest one tells most (Cristian's
// algorithm). A value; pure.
#pragma once

#include <cstdint>

namespace sysfleet {

class ClockEstimate {
 public:
  /// A question sent at `sent_ns` of our clock was answered at `agent_ns` of the agent's, and the
  /// answer came at `received_ns` of ours.
  void Add(int64_t sent_ns, int64_t agent_ns, int64_t received_ns) {
    const int64_t round_trip_ns = received_ns - sent_ns;
    if (samples_++ > 0 && round_trip_ns >= round_trip_ns_) return;
    round_trip_ns_ = round_trip_ns;
    offset_ns_ = agent_ns - (sent_ns + round_trip_ns / 2);
  }

  int samples() const { return samples_; }
  /// The agent's clock minus ours; wrong by half the round trip at most.
  int64_t offset_ns() const { return offset_ns_; }
  int64_t round_trip_ns() const { return round_trip_ns_; }

 private:
  int samples_ = 0;
  int64_t offset_ns_ = 0;
  int64_t round_trip_ns_ = 0;
};

}  // namespace sysfleet
