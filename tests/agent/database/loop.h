// A small event loop, and a way to await connections in plain test code.
#pragma once

#include <poll.h>

#include <chrono>
#include <coroutine>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "agent/database/connection.h"
#include "agent/database/poller.h"

namespace sysfleet {

class Loop final : public Poller {
 public:
  void Watch(int fd, Interest interest, Pollable& pollable) override {
    watched_[fd] = {.pollable = &pollable, .interest = interest};
  }
  void Unwatch(int fd) override { watched_.erase(fd); }

  bool Watches(const Pollable& pollable) const {
    for (const auto& [fd, entry] : watched_) {
      if (entry.pollable == &pollable) return true;
    }
    return false;
  }

  /// Waits for events and delivers one batch. False where none came in time.
  bool Step(std::chrono::milliseconds timeout) {
    std::vector<pollfd> fds;
    for (const auto& [fd, entry] : watched_) {
      const int events = (entry.interest.read ? POLLIN : 0) | (entry.interest.write ? POLLOUT : 0);
      fds.push_back({.fd = fd, .events = static_cast<short>(events), .revents = 0});
    }
    if (poll(fds.data(), fds.size(), static_cast<int>(timeout.count())) <= 0) return false;
    for (const pollfd& event : fds) {
      const auto entry = watched_.find(event.fd);
      if (event.revents == 0 || entry == watched_.end()) continue;
      const bool broken = (event.revents & (POLLERR | POLLHUP)) != 0;
      entry->second.pollable->OnReady({.read = broken || (event.revents & POLLIN) != 0,
                                       .write = broken || (event.revents & POLLOUT) != 0});
    }
    return true;
  }

  /// Steps until `condition` holds. False where it does not for a minute without any event.
  bool RunUntil(const std::function<bool()>& condition) {
    while (!condition()) {
      if (!Step(std::chrono::minutes(1))) return condition();
    }
    return true;
  }

 private:
  struct Entry {
    Pollable* pollable = nullptr;
    Interest interest;
  };
  std::map<int, Entry> watched_;
};

/// A coroutine that runs at once and is destroyed with this object.
class Script {
 public:
  struct promise_type {
    Script get_return_object() {
      return Script(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };

  explicit Script(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Script(Script&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Script& operator=(Script&&) = delete;
  ~Script() {
    if (handle_) handle_.destroy();
  }

 private:
  std::coroutine_handle<promise_type> handle_;
};

/// An operation that somebody waits for.
class Pending {
 public:
  explicit Pending(Connection::Completion completion) : script_(Wait(completion, outcome_)) {}
  Pending(const Pending&) = delete;

  bool done() const { return outcome_.has_value(); }
  const Outcome& outcome() const { return *outcome_; }

 private:
  static Script Wait(Connection::Completion completion, std::optional<Outcome>& outcome) {
    outcome = co_await completion;
  }

  std::optional<Outcome> outcome_;
  Script script_;
};

/// Runs the loop until the operation's end. One that never ends gives "stuck".
inline Outcome Await(Loop& loop, Connection::Completion completion) {
  Pending pending(completion);
  if (loop.RunUntil([&] { return pending.done(); })) return pending.outcome();
  return {.kind = OutcomeKind::kLost, .code = "stuck", .message = "nothing happens any more"};
}

}  // namespace sysfleet
