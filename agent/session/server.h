// The agent's gRPC server: one lease at a time; a second coordinator is told who has it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/calibration/calibration.h"
#include "agent/session/engine.h"
#include "common/base/endpoint.h"
#include "common/rpc/security.h"

namespace sysfleet {

/// What the agent's machine can drive, for coordinators to know.
struct Capacity {
  size_t reactors = 0;
  /// Of a core; empty: not calibrated.
  std::vector<CoreRate> rates;
};

class AgentServer {
 public:
  /// Port 0: any free one. `engine` must outlive the server. FAILED_PRECONDITION where plain text
  /// would leave the machine and where certificates do not fit, UNAVAILABLE where the address
  /// cannot be listened on.
  static absl::StatusOr<std::unique_ptr<AgentServer>> Start(const Endpoint& listen, Engine& engine,
                                                            const Capacity& capacity = {},
                                                            const Security& security = {});
  ~AgentServer();

  /// With the port that was really taken.
  Endpoint address() const;

  /// Ends the load of a running session, then the server. False where the load did not end within a
  /// few seconds; what is still running must not be destroyed then.
  bool Stop();

 private:
  class Impl;
  explicit AgentServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace sysfleet
