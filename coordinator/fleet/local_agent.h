// An agent on this machine, started for one run and ended with it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/base/endpoint.h"

namespace sysfleet {

class LocalAgent {
 public:
  /// Starts the program `agent` beside this one (or from PATH) on a free loopback port and waits
  /// until it listens. To be called from the main thread: the agent ends when its parent thread
  /// does.
  static absl::StatusOr<std::unique_ptr<LocalAgent>> Start();
  ~LocalAgent();
  LocalAgent(const LocalAgent&) = delete;
  LocalAgent& operator=(const LocalAgent&) = delete;

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  explicit LocalAgent(std::string folder) : folder_(std::move(folder)) {}
  absl::Status Spawn();
  absl::Status AwaitAddress();

  const std::string folder_;  // of its log and its address; temporary
  pid_t pid_ = -1;
  Endpoint endpoint_;
};

}  // namespace sysfleet
