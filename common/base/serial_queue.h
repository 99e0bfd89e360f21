// A thread that calls what is posted to it, in order: state that only its calls touch needs no
// lock.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sysfleet {

class SerialQueue {
 public:
  SerialQueue();
  /// Calls what has been posted so far, then ends the thread. Not from a posted call.
  ~SerialQueue();
  SerialQueue(const SerialQueue&) = delete;
  SerialQueue& operator=(const SerialQueue&) = delete;

  /// From any thread, also from a posted call.
  void Post(std::function<void()> call);

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> calls_;  // guarded by mutex_
  bool ending_ = false;                      // guarded by mutex_
  std::thread thread_;
};

}  // namespace sysfleet
