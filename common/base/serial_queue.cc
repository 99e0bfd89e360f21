#include "common/base/serial_queue.h"

#include <utility>

namespace sysfleet {

SerialQueue::SerialQueue() : thread_([this] { Run(); }) {}

SerialQueue::~SerialQueue() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SerialQueue::Post(std::function<void()> call) {
  // Within the lock: the call may end who owns this queue, and then nothing of it may be touched.
  const std::lock_guard lock(mutex_);
  calls_.push_back(std::move(call));
  changed_.notify_one();
}

void SerialQueue::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !calls_.empty(); });
    if (calls_.empty()) return;
    std::function<void()> call = std::move(calls_.front());
    calls_.pop_front();
    lock.unlock();
    call();
    call = nullptr;  // what it holds may post as it goes
    lock.lock();
  }
}

}  // namespace sysfleet
