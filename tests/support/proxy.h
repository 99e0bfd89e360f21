// A network that misbehaves: TCP connections to one loopback port are led to an address, and what
// passes can be held up, delayed or cut. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "absl/status/statusor.h"
#include "common/base/endpoint.h"

namespace sysfleet {

class Proxy {
 public:
  enum class Mode {
    kPass,
    /// Nothing passes in either direction, and nobody is told: a cut cable. Goes on where it
    /// stopped.
    kStall,
    /// Connections are reset, and new ones too: a host that answers, but is not there.
    kReset,
  };

  static absl::StatusOr<std::unique_ptr<Proxy>> Start(const Endpoint& target);
  ~Proxy();

  const Endpoint& endpoint() const { return endpoint_; }

  void Set(Mode mode);
  /// What arrives from now on passes so much later, in both directions.
  void Delay(std::chrono::milliseconds delay);

 private:
  class Loop;

  Proxy(std::unique_ptr<Loop> loop, Endpoint endpoint);

  std::unique_ptr<Loop> loop_;
  Endpoint endpoint_;
};

}  // namespace sysfleet
