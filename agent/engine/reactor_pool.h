// The agent's reactors, each on a thread of its own, for as long as the agent lives. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "agent/engine/reactor.h"

namespace sysfleet {

class ReactorPool {
 public:
  enum class Pinning : uint8_t { kNone, kOnePerCore };

  /// At least one reactor. With kOnePerCore reactor i runs on the i-th of the process's cores only.
  ReactorPool(size_t reactors, Pinning pinning);
  /// Nothing may be running on the reactors any more.
  ~ReactorPool();
  ReactorPool(const ReactorPool&) = delete;
  ReactorPool& operator=(const ReactorPool&) = delete;

  size_t size() const { return reactors_.size(); }
  Reactor& at(size_t index) { return *reactors_[index]; }

 private:
  std::vector<std::unique_ptr<Reactor>> reactors_;
  std::vector<std::thread> threads_;
};

}  // namespace sysfleet
