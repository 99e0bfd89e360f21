#include "common/base/ticker.h"

#include <utility>

namespace sysfleet {

Ticker::Ticker(std::chrono::milliseconds interval, std::function<void()> call)
    : interval_(interval), call_(std::move(call)), thread_([this] { Run(); }) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Ticker::Run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, interval_, [this] { return ending_; })) {
    lock.unlock();
    call_();
    lock.lock();
  }
}

}  // namespace sysfleet
