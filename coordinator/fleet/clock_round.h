// Reads the clocks of a fleet, a few agents at a time: were all asked at once, their answers would
// wait for one another, and a round trip would tell the length of the queue. Pure; the caller sends
// the pings and hears the pongs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "coordinator/fleet/clock_estimate.h"

namespace sysfleet {

class ClockRound {
 public:
  /// Each of `agents` is asked `pings` times.
  ClockRound(size_t agents, int pings) : pings_(pings), sent_ns_(agents), estimates_(agents) {}

  /// An agent that has not been asked yet; none where all have.
  std::optional<size_t> BeginNext() {
    if (begun_ == estimates_.size()) return std::nullopt;
    return begun_++;
  }

  /// The sequence number for a ping that is sent now.
  uint64_t OnPing(size_t agent, int64_t now_ns) {
    sent_ns_[agent] = now_ns;
    return NextSequence(agent);
  }

  /// Whom to ping now: the same agent once more, or the next one.
  std::optional<size_t> OnPong(size_t agent, uint64_t sequence, int64_t agent_ns,
                               int64_t received_ns) {
    if (sequence != NextSequence(agent)) return std::nullopt;  // of an earlier round
    estimates_[agent].Add(sent_ns_[agent], agent_ns, received_ns);
    if (estimates_[agent].samples() < pings_) return agent;
    ++finished_;
    return BeginNext();
  }

  /// It has been asked, and not answered often enough.
  bool Owes(size_t agent) const { return agent < begun_ && estimates_[agent].samples() < pings_; }

  bool finished() const { return finished_ == estimates_.size(); }

  /// The first agent that owes an answer; not where finished.
  size_t Awaited() const {
    size_t agent = 0;
    while (estimates_[agent].samples() == pings_) ++agent;
    return agent;
  }

  const ClockEstimate& estimate(size_t agent) const { return estimates_[agent]; }

 private:
  uint64_t NextSequence(size_t agent) const {
    return static_cast<uint64_t>(estimates_[agent].samples()) + 1;
  }

  const int pings_;
  std::vector<int64_t> sent_ns_;
  std::vector<ClockEstimate> estimates_;
  size_t begun_ = 0;
  size_t finished_ = 0;
};

}  // namespace sysfleet
