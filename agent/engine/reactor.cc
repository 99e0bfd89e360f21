#include "agent/engine/reactor.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace sysfleet {
namespace {

constexpr size_t kEventsPerWait = 1024;

// Without its descriptors a reactor cannot exist, and nobody could carry on without it.
int Checked(int fd, const char* what) {
  if (fd < 0) {
    std::perror(what);
    std::abort();
  }
  return fd;
}

uint32_t EpollEvents(Interest interest) {
  return (interest.read ? EPOLLIN | EPOLLRDHUP : 0U) | (interest.write ? EPOLLOUT : 0U);
}

uint64_t Pack(int fd, uint32_t generation) {
  return (static_cast<uint64_t>(generation) << 32) | static_cast<uint32_t>(fd);
}

}  // namespace

Reactor::Reactor()
    : epoll_fd_(Checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_fd_(Checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = Pack(wake_fd_, 0)}};
  Checked(epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &event), "epoll_ctl");
}

Reactor::~Reactor() {
  close(wake_fd_);
  close(epoll_fd_);
}

void Reactor::Run() {
  std::vector<epoll_event> events(kEventsPerWait);
  arrival_ns_ = waited_since_ns_ = SteadyNanos();
  while (!stopping_) {
    const int64_t wait_begin_ns = SteadyNanos();
    const int64_t batch_ns = wait_begin_ns - arrival_ns_;
    busy_ns_ += batch_ns;
    batches_.Record(batch_ns);
    const int count = Wait(events);
    arrival_ns_ = SteadyNanos();
    if (observer_ != nullptr) observer_->OnBatch(arrival_ns_);
    for (int i = 0; i < count; ++i) Deliver(events[static_cast<size_t>(i)]);
    FireTimers();
  }
}

void Reactor::Stop() {
  Post([this] { stopping_ = true; });
}

void Reactor::Post(std::function<void()> function) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(function));
  }
  const uint64_t one = 1;
  // A full counter wakes as well.
  [[maybe_unused]] const ssize_t written = write(wake_fd_, &one, sizeof(one));
}

Reactor::TimerId Reactor::CallAt(int64_t when_ns, std::function<void()> function) {
  // Not in the present batch: timers that set timers must not keep sockets waiting.
  const TimerId timer{std::max(when_ns, arrival_ns_ + 1), ++next_timer_};
  timers_.emplace(timer, std::move(function));
  return timer;
}

void Reactor::Cancel(TimerId timer) {
  timers_.erase(timer);
}

LoopTimes Reactor::TakeLoopTimes(CoarseHistogram& batches) {
  batches.Clear();
  std::swap(batches, batches_);
  return {.busy_ns = std::exchange(busy_ns_, 0),
          .total_ns = arrival_ns_ - std::exchange(waited_since_ns_, arrival_ns_)};
}

void Reactor::Watch(int fd, Interest interest, Pollable& pollable) {
  const auto index = static_cast<size_t>(fd);
  if (index >= watched_.size()) watched_.resize(index + 1);
  Watched& entry = watched_[index];
  if (entry.pollable == &pollable && entry.interest == interest) return;
  const int operation = entry.pollable == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  epoll_event event{.events = EpollEvents(interest), .data = {.u64 = Pack(fd, entry.generation)}};
  Checked(epoll_ctl(epoll_fd_, operation, fd, &event), "epoll_ctl");
  entry.pollable = &pollable;
  entry.interest = interest;
}

void Reactor::Unwatch(int fd) {
  const auto index = static_cast<size_t>(fd);
  if (fd < 0 || index >= watched_.size() || watched_[index].pollable == nullptr) return;
  epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
  watched_[index].pollable = nullptr;
  ++watched_[index].generation;
}

int Reactor::Wait(std::vector<epoll_event>& events) {
  timespec timeout{};
  const timespec* limit = nullptr;
  if (!timers_.empty()) {
    const int64_t left_ns = std::max<int64_t>(0, timers_.begin()->first.first - SteadyNanos());
    timeout = {.tv_sec = left_ns / kNanosPerSecond, .tv_nsec = left_ns % kNanosPerSecond};
    limit = &timeout;
  }
  const int count =
      epoll_pwait2(epoll_fd_, events.data(), static_cast<int>(events.size()), limit, nullptr);
  if (count < 0 && errno != EINTR) Checked(count, "epoll_pwait2");
  return count;
}

void Reactor::Deliver(const epoll_event& event) {
  const int fd = static_cast<int>(event.data.u64 & 0xffffffffU);
  if (fd == wake_fd_) {
    CallPosted();
    return;
  }
  const auto index = static_cast<size_t>(fd);
  const Watched& entry = watched_[index];
  if (entry.pollable == nullptr || entry.generation != event.data.u64 >> 32) return;
  const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  entry.pollable->OnReady({.read = broken || (event.events & (EPOLLIN | EPOLLRDHUP)) != 0,
                           .write = broken || (event.events & EPOLLOUT) != 0});
}

void Reactor::FireTimers() {
  while (!timers_.empty() && timers_.begin()->first.first <= arrival_ns_) {
    const auto first = timers_.extract(timers_.begin());
    first.mapped()();
  }
}

void Reactor::CallPosted() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(wake_fd_, &count, sizeof(count));
  std::vector<std::function<void()>> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(posted_);
  }
  for (auto& call : calls) call();
}

Sleeper::Awaiter Sleeper::Until(int64_t when_ns) {
  timer_ = reactor_.CallAt(when_ns, [this] { Wake(); });
  return Awaiter(*this);
}

void Sleeper::Wake() {
  reactor_.Cancel(timer_);
  if (auto waiter = std::exchange(waiter_, nullptr)) waiter.resume();
}

}  // namespace sysfleet
