#include "agent/engine/reactor.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

#include "agent/engine/task.h"

namespace sysfleet {
namespace {

// A pair of connected sockets.
class Pair {
 public:
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds_), 0); }
  ~Pair() {
    close(fds_[0]);
    close(fds_[1]);
  }
  int near() const { return fds_[0]; }
  void Send(const std::string& text) const {
    EXPECT_EQ(write(fds_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

 private:
  int fds_[2];
};

struct Recorder : Pollable {
  explicit Recorder(std::function<void(Interest)> call) : on_ready(std::move(call)) {}
  void OnReady(Interest ready) override { on_ready(ready); }
  std::function<void(Interest)> on_ready;
};

TEST(Reactor, FiresTimersInOrderAndNotTheCancelled) {
  Reactor reactor;
  std::string order;
  const int64_t now = SteadyNanos();
  reactor.CallAt(now + 2'000'000, [&] { order += "b"; });
  reactor.CallAt(now + 1'000'000, [&] { order += "a"; });
  const auto cancelled = reactor.CallAt(now + 1'500'000, [&] { order += "x"; });
  reactor.CallAt(now + 2'000'000, [&] { order += "c"; });
  reactor.Cancel(cancelled);
  reactor.CallAt(now + 3'000'000, [&] { reactor.Stop(); });
  reactor.Run();
  EXPECT_EQ(order, "abc");
}

TEST(Reactor, CallsWhatOtherThreadsPostInTheirOrder) {
  Reactor reactor;
  std::vector<int> seen;
  std::thread poster([&] {
    for (int i = 0; i < 1000; ++i) reactor.Post([&seen, i] { seen.push_back(i); });
    reactor.Stop();
  });
  reactor.Run();
  poster.join();
  ASSERT_EQ(seen.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST(Reactor, DeliversReadinessUntilUnwatched) {
  Reactor reactor;
  const Pair pair;
  int ready = 0;
  Recorder recorder([&](Interest interest) {
    EXPECT_TRUE(interest.read);
    EXPECT_FALSE(interest.write);
    // Level-triggered: it is told again as long as nobody reads.
    if (++ready < 3) return;
    reactor.Unwatch(pair.near());
    reactor.CallAt(SteadyNanos() + 5'000'000, [&] { reactor.Stop(); });
  });
  reactor.Watch(pair.near(), {.read = true}, recorder);
  pair.Send("x");
  reactor.Run();
  EXPECT_EQ(ready, 3);
}

TEST(Reactor, DropsAnEventOfTheBatchWhoseSocketWasUnwatchedBefore) {
  Reactor reactor;
  const Pair one;
  const Pair two;
  int calls = 0;
  // Whichever comes first unwatches both; the other's event is stale then.
  Recorder recorder([&](Interest) {
    ++calls;
    reactor.Unwatch(one.near());
    reactor.Unwatch(two.near());
    reactor.CallAt(SteadyNanos() + 5'000'000, [&] { reactor.Stop(); });
  });
  reactor.Watch(one.near(), {.read = true}, recorder);
  reactor.Watch(two.near(), {.read = true}, recorder);
  one.Send("x");
  two.Send("x");
  reactor.Run();
  EXPECT_EQ(calls, 1);
}

TEST(Reactor, TellsAHangUpAsReadyForEverything) {
  Reactor reactor;
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  Recorder recorder([&](Interest interest) {
    EXPECT_TRUE(interest.read);
    reactor.Unwatch(fds[0]);
    reactor.Stop();
  });
  reactor.Watch(fds[0], {.read = true}, recorder);
  close(fds[1]);
  reactor.Run();
  close(fds[0]);
}

TEST(Reactor, CountsItsBusyTime) {
  Reactor reactor;
  LoopTimes times;
  CoarseHistogram batches;
  reactor.CallAt(SteadyNanos(), [] {
    const int64_t end = SteadyNanos() + 20'000'000;
    while (SteadyNanos() < end) continue;
  });
  reactor.CallAt(SteadyNanos() + 60'000'000, [&] {
    times = reactor.TakeLoopTimes(batches);
    reactor.Stop();
  });
  reactor.Run();
  EXPECT_GE(times.busy_ns, 20'000'000);
  EXPECT_GE(batches.max_ns(), 20'000'000);
  // All that it was busy with, it did in batches.
  EXPECT_EQ(batches.sum_ns(), static_cast<uint64_t>(times.busy_ns));
  // Counted from the loop's begin, a little after the timer was set.
  EXPECT_GE(times.total_ns, 40'000'000);
  EXPECT_LE(times.busy_ns, times.total_ns);
}

TEST(Reactor, TellsTheLengthsOfTheBatchesSinceTheLastCall) {
  Reactor reactor;
  CoarseHistogram first;
  CoarseHistogram second;
  second.Record(kNanosPerSecond);  // To be replaced.
  int calls = 0;
  // Each call posts the next, which wakes the loop for a batch of its own.
  std::function<void()> call = [&] {
    if (++calls == 10) reactor.TakeLoopTimes(first);
    if (calls == 15) {
      reactor.TakeLoopTimes(second);
      return reactor.Stop();
    }
    reactor.Post(call);
  };
  reactor.Post(call);
  reactor.Run();
  // The look before the first wait, and the nine batches before the tenth, which had not ended.
  EXPECT_EQ(first.count(), 10U);
  EXPECT_EQ(second.count(), 5U);
}

Task<int> Answer(Sleeper& sleeper) {
  co_await sleeper.Until(SteadyNanos() + 1'000'000);
  co_return 42;
}

Task<> AskTwice(Reactor& reactor, Sleeper& sleeper, int& sum) {
  sum += co_await Answer(sleeper);
  sum += co_await Answer(sleeper);
  reactor.Stop();
}

TEST(Task, AwaitsOthersAndReturnsTheirValues) {
  Reactor reactor;
  Sleeper sleeper(reactor);
  int sum = 0;
  Task<> task = AskTwice(reactor, sleeper, sum);
  task.Start();
  EXPECT_FALSE(task.done());
  reactor.Run();
  EXPECT_EQ(sum, 84);
  EXPECT_TRUE(task.done());
}

Task<> SleepLong(Sleeper& sleeper, bool& woken) {
  co_await sleeper.Until(SteadyNanos() + 3600 * kNanosPerSecond);
  woken = true;
}

TEST(Sleeper, WakesEarly) {
  Reactor reactor;
  Sleeper sleeper(reactor);
  bool woken = false;
  Task<> task = SleepLong(sleeper, woken);
  task.Start();
  reactor.Post([&] { sleeper.Wake(); });
  reactor.Stop();
  reactor.Run();
  EXPECT_TRUE(woken);
}

TEST(Sleeper, MayGoWithItsCoroutine) {
  Reactor reactor;
  bool woken = false;
  {
    Sleeper sleeper(reactor);
    Task<> task = SleepLong(sleeper, woken);
    task.Start();
  }
  reactor.CallAt(SteadyNanos() + 1'000'000, [&] { reactor.Stop(); });
  reactor.Run();
  EXPECT_FALSE(woken);
}

}  // namespace
}  // namespace sysfleet
