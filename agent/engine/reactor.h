// An event loop on one thread: sockets by epoll, timers, and calls posted from other threads.
//
// Post and Stop may be called from any thread; everything else belongs to the thread in Run.
#pragma once

#include <sys/epoll.h>

#include <coroutine>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "agent/database/poller.h"
#include "common/base/clock.h"
#include "common/histogram/histogram.h"

namespace sysfleet {

/// Told after each wait, before the batch's events are delivered.
class BatchObserver {
 public:
  virtual ~BatchObserver() = default;
  virtual void OnBatch(int64_t arrival_ns) = 0;
};

/// Time of the loop since the last call of TakeLoopTimes, in nanoseconds.
struct LoopTimes {
  int64_t busy_ns = 0;  // outside the wait for events
  int64_t total_ns = 0;
};

class Reactor final : public Poller {
 public:
  using TimerId = std::pair<int64_t, uint64_t>;

  Reactor();
  ~Reactor() override;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  /// Works until Stop. What was posted before Stop is still called.
  void Run();
  void Stop();

  /// Calls `function` on the reactor's thread.
  void Post(std::function<void()> function);

  /// When the present batch of events arrived: the steady clock just after the wait. The loop's own
  /// work is not charged to the database this way.
  int64_t now_ns() const { return arrival_ns_; }

  /// Calls `function` at `when_ns` of the steady clock or soon after.
  TimerId CallAt(int64_t when_ns, std::function<void()> function);
  /// Does nothing for a timer that has fired.
  void Cancel(TimerId timer);

  /// At most one; nullptr for none.
  void SetObserver(BatchObserver* observer) { observer_ = observer; }

  /// The loop's times since the last call. `batches` is replaced by the lengths of the batches that
  /// ended since: from the arrival of their events to the next wait, which is how long the last
  /// event of a batch may have waited. Nothing is allocated.
  LoopTimes TakeLoopTimes(CoarseHistogram& batches);

  void Watch(int fd, Interest interest, Pollable& pollable) override;
  void Unwatch(int fd) override;

 private:
  struct Watched {
    Pollable* pollable = nullptr;
    Interest interest;
    // Tells an event of an earlier owner of the same descriptor from one of today's.
    uint32_t generation = 0;
  };

  int Wait(std::vector<epoll_event>& events);
  void Deliver(const epoll_event& event);
  void FireTimers();
  void CallPosted();

  const int epoll_fd_;
  const int wake_fd_;
  std::vector<Watched> watched_;  // by descriptor
  std::map<TimerId, std::function<void()>> timers_;
  uint64_t next_timer_ = 0;
  BatchObserver* observer_ = nullptr;
  int64_t arrival_ns_ = SteadyNanos();
  int64_t waited_since_ns_ = arrival_ns_;
  int64_t busy_ns_ = 0;
  CoarseHistogram batches_;
  bool stopping_ = false;

  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by mutex_
};

/// A pause that its owner can end early. The awaiter is a reference, so it may live in any
/// coroutine; the Sleeper must outlive the wait or be destroyed together with the waiting
/// coroutine.
class Sleeper {
 public:
  class Awaiter {
   public:
    explicit Awaiter(Sleeper& sleeper) : sleeper_(sleeper) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) noexcept { sleeper_.waiter_ = waiter; }
    void await_resume() const noexcept {}

   private:
    Sleeper& sleeper_;
  };

  explicit Sleeper(Reactor& reactor) : reactor_(reactor) {}
  ~Sleeper() { reactor_.Cancel(timer_); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  Awaiter Until(int64_t when_ns);
  /// Until Wake.
  Awaiter Forever() { return Awaiter(*this); }
  /// Resumes who sleeps here, if anybody.
  void Wake();

 private:
  Reactor& reactor_;
  Reactor::TimerId timer_{};
  std::coroutine_handle<> waiter_;
};

}  // namespace sysfleet
