// A thread that calls the same thing at an interval.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace sysfleet {

class Ticker {
 public:
  /// The first call comes after the first interval.
  Ticker(std::chrono::milliseconds interval, std::function<void()> call);
  /// After a call that is under way.
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void Run();

  const std::chrono::milliseconds interval_;
  const std::function<void()> call_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace sysfleet
