// The agents of a run: one session each, held from Open to Close, also over streams that break.
// Messages of all agents come out of one queue, so that a run is one thread that waits for what
// happens next.
//
// Wait belongs to one thread; Interrupt may be called from any.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/base/endpoint.h"
#include "common/base/ticker.h"
#include "common/rpc/security.h"
#include "coordinator/fleet/agent_link.h"
#include "coordinator/fleet/capacity.h"
#include "coordinator/fleet/fleet_event.h"

namespace sysfleet {

namespace v1 {
class CoordinatorMessage;
class Hello;
}  // namespace v1

struct FleetAgent {
  Endpoint endpoint;
  // From its hello:
  std::string host;
  std::string version;
  int cores = 0;
  int reactors = 0;
  // What a core of its machine drives, by family; empty: not calibrated.
  std::vector<CoreRate> postgresql_rates;
  std::vector<CoreRate> mysql_rates;
  // Its steady clock minus ours, and the fastest round trip, which bounds the error of that.
  int64_t clock_offset_ns = 0;
  int64_t round_trip_ns = 0;
};

/// How long agents may take to answer when a fleet is opened.
inline constexpr std::chrono::seconds kFleetOpenLimit{10};

class Fleet {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  Fleet(std::vector<Endpoint> agents, RunIdentity run, Security security = {});
  /// Closes.
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  /// Takes the lease of every agent and estimates their clocks. `limit` is how long no agent may
  /// answer: a large fleet takes its time, but never stands still. Errors name the agent:
  /// UNAVAILABLE for one that does not answer, RESOURCE_EXHAUSTED for one that is busy,
  /// FAILED_PRECONDITION for one of another version, one that may not be spoken to in plain text,
  /// and certificates that do not fit.
  /// CANCELLED where interrupted. To be called once.
  absl::Status Open(std::chrono::milliseconds limit);

  /// Estimates the clocks again, with such a limit. Events other than pongs stay in order for Wait.
  absl::Status SynchronizeClocks(std::chrono::milliseconds limit);

  /// Stamps the run and sends. Does nothing for a lost agent.
  void Send(int agent, v1::CoordinatorMessage message);
  void SendAll(const v1::CoordinatorMessage& message);

  /// The next event; nothing at the deadline.
  std::optional<FleetEvent> Wait(TimePoint deadline);

  /// Makes Wait return kInterrupt, once a call.
  void Interrupt();

  void Close();

  int size() const { return static_cast<int>(agents_.size()); }
  const std::vector<FleetAgent>& agents() const { return agents_; }

  /// "agent client-1:7070", for messages.
  std::string NameOf(int agent) const;

 private:
  absl::Status AwaitLeases(std::chrono::milliseconds limit);
  absl::Status OnHello(int agent, const v1::Hello& hello);

  const RunIdentity run_;
  const Security security_;
  std::vector<FleetAgent> agents_;
  const std::shared_ptr<FleetInbox> inbox_;
  std::vector<std::unique_ptr<AgentLink>> links_;
  std::unique_ptr<Ticker> keeper_;
};

}  // namespace sysfleet
