#include "agent/engine/reactor_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

namespace sysfleet {
namespace {

std::vector<int> UsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

void PinTo(std::thread& thread, int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  pthread_setaffinity_np(thread.native_handle(), sizeof(set), &set);
}

}  // namespace

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
