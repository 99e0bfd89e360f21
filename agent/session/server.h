// The agent's gRPC server: one lease at a time; a second coordinator is told who has it.
#pragma once

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "agent/engine/reactor_pool.h"
#include "common/base/endpoint.h"

namespace sysfleet {

struct AgentOptions {
  /// Port 0: any free one.
  Endpoint listen;
  size_t reactors = 1;
  ReactorPool::Pinning pinning = ReactorPool::Pinning::kNone;
};

/// Thread-safe.
class AgentServer {
 public:
  /// FAILED_PRECONDITION for an address other than loopback, UNAVAILABLE where it cannot be
  /// listened on.
  static absl::StatusOr<std::unique_ptr<AgentServer>> Start(const AgentOptions& options);
  ~AgentServer();

  /// With the port that was really taken.
  Endpoint address() const;

  /// Ends the load of a running session and the server; returns within a few seconds.
  void Stop();

 private:
  class Impl;
  explicit AgentServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace sysfleet
