#include "agent/engine/reactor_pool.h"

#include <algorithm>

#include "agent/engine/cores.h"

namespace sysfleet {

ReactorPool::ReactorPool(size_t reactors, Pinning pinning) {
  const std::vector<int> cores = pinning == Pinning::kNone ? std::vector<int>() : UsableCores();
  for (size_t i = 0; i < std::max<size_t>(1, reactors); ++i) {
    Reactor& reactor = *reactors_.emplace_back(std::make_unique<Reactor>());
    threads_.emplace_back([&reactor] { reactor.Run(); });
    if (!cores.empty()) PinTo(threads_.back(), cores[i % cores.size()]);
  }
}

ReactorPool::~ReactorPool() {
  for (auto& reactor : reactors_) reactor->Stop();
  for (auto& thread : threads_) thread.join();
}

}  // namespace sysfleet
