// Ctrl-C and SIGTERM: the first is passed on, so that load stops and results are kept; the second
// ends the program at once.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace sysfleet {

/// To be called first thing in main: threads that start later leave these signals to the watcher.
void BlockInterrupts();

class InterruptWatcher {
 public:
  /// `on_interrupt` is called on the watcher's thread, once.
  explicit InterruptWatcher(std::function<void()> on_interrupt);
  ~InterruptWatcher();
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;

 private:
  void Watch();

  std::function<void()> on_interrupt_;
  int end_fd_;
  std::thread thread_;
};

}  // namespace sysfleet
