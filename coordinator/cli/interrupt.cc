#include "coordinator/cli/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <utility>

#include "coordinator/run/run.h"

namespace sysfleet {
namespace {

sigset_t Signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

void BlockInterrupts() {
  const sigset_t signals = Signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

InterruptWatcher::InterruptWatcher(std::function<void()> on_interrupt)
    : on_interrupt_(std::move(on_interrupt)),
      end_fd_(eventfd(0, EFD_CLOEXEC)),
      thread_([this] { Watch(); }) {}

InterruptWatcher::~InterruptWatcher() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(end_fd_, &one, sizeof(one));
  thread_.join();
  close(end_fd_);
}

void InterruptWatcher::Watch() {
  const sigset_t signals = Signals();
  const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
  pollfd fds[] = {{.fd = signal_fd, .events = POLLIN, .revents = 0},
                  {.fd = end_fd_, .events = POLLIN, .revents = 0}};
  int seen = 0;
  while (poll(fds, 2, -1) > 0 && (fds[1].revents & POLLIN) == 0) {
    signalfd_siginfo info{};
    if (read(signal_fd, &info, sizeof(info)) != sizeof(info)) continue;
    if (++seen > 1) _exit(static_cast<int>(ExitCode::kInterrupted));
    on_interrupt_();
  }
  close(signal_fd);
}

}  // namespace sysfleet
