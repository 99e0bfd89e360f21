// The session with one agent, over one stream after another, as long as the agent is heard from.
// Thread-safe: gRPC's threads bring messages, the run sends, a keeper looks after it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "common/base/endpoint.h"
#include "coordinator/fleet/fleet_event.h"

namespace grpc {
class ChannelCredentials;
}

namespace sysfleet {

namespace v1 {
class CoordinatorMessage;
}

struct RunIdentity {
  std::string run_id;
  /// A coordinator that goes on with a run has a higher one than those before it.
  uint64_t epoch = 1;
  /// How long an agent and its coordinator may be out of each other's hearing.
  std::chrono::milliseconds lease{10'000};
};

class AgentLink {
 public:
  /// Begins to connect. Events bear the number `agent`.
  AgentLink(int agent, Endpoint endpoint, RunIdentity run,
            std::shared_ptr<grpc::ChannelCredentials> credentials,
            std::shared_ptr<FleetInbox> inbox);
  ~AgentLink();

  /// To be called once the agent has said hello; kAttached follows.
  void TakeLease();

  /// Stamps the run, and sends: once, in order, over whatever stream, except for a ping, which is
  /// lost where there is none just now. Does nothing for a lost agent.
  void Send(v1::CoordinatorMessage message);

  /// To be called several times within a heartbeat, at a moment of the steady clock.
  void OnLook(int64_t now_ns);

  /// Gives the agent back; nothing can be sent any more.
  void Release();
  void AwaitEnd(std::chrono::steady_clock::time_point deadline);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sysfleet
