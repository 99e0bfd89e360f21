// A lazily started coroutine that runs on its reactor's thread and can be awaited by one other.
// Destroying a Task destroys its frame, and so whatever it awaits must not resume it any more.
// Not thread-safe.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace sysfleet {

namespace internal {

struct TaskPromiseBase {
  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      const std::coroutine_handle<> continuation = ended.promise().continuation;
      return continuation ? continuation : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  // No exception crosses our interfaces; one that escapes is a fault of ours.
  void unhandled_exception() const noexcept { std::terminate(); }

  std::coroutine_handle<> continuation;
};

template <typename T>
struct TaskPromise : TaskPromiseBase {
  void return_value(T result) { value.emplace(std::move(result)); }
  T Take() { return std::move(*value); }
  std::optional<T> value;
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  void return_void() const noexcept {}
  void Take() const noexcept {}
};

}  // namespace internal

template <typename T = void>
class [[nodiscard]] Task {
 public:
  struct promise_type : internal::TaskPromise<T> {
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
  };

  Task() = default;
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  /// Runs until the first suspension. For a task that nobody awaits.
  void Start() { handle_.resume(); }

  bool done() const { return !handle_ || handle_.done(); }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) noexcept {
    handle_.promise().continuation = waiter;
    return handle_;
  }
  T await_resume() { return handle_.promise().Take(); }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

}  // namespace sysfleet
