#include "agent/database/socket_io.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "common/base/clock.h"

namespace sysfleet {
namespace {

constexpr size_t kReceiveBytes = 1 << 16;

bool WouldBlock() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

int64_t WallNanos() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * kNanosPerSecond + time.tv_nsec;
}

// The kernel's timestamps are of the wall clock. Its distance to the steady clock is taken anew
// every few milliseconds, in which even a clock that is being corrected strays by a few
// microseconds at most, instead of reading two clocks for each reply.
int64_t SteadyOf(int64_t wall_ns) {
  constexpr int64_t kRenewalNs = 5'000'000;
  thread_local int64_t taken_ns = 0;
  thread_local int64_t wall_less_steady_ns = 0;
  if (std::llabs(wall_ns - taken_ns) > kRenewalNs) [[unlikely]] {
    const int64_t steady_ns = SteadyNanos();
    wall_less_steady_ns = WallNanos() - steady_ns;
    taken_ns = wall_ns;
  }
  return wall_ns - wall_less_steady_ns;
}

int64_t ArrivalOf(msghdr& message) {
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_level != SOL_SOCKET ||
      header->cmsg_type != SCM_TIMESTAMPNS) {
    return 0;
  }
  timespec time{};
  std::memcpy(&time, CMSG_DATA(header), sizeof time);
  return SteadyOf(time.tv_sec * kNanosPerSecond + time.tv_nsec);
}

}  // namespace

bool SendBuffer::Send(int fd, std::string_view bytes) {
  if (!rest_.empty()) bytes = rest_.append(bytes);
  const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == static_cast<ssize_t>(bytes.size())) [[likely]] {
    rest_.clear();
    return true;
  }
  if (sent < 0 && !WouldBlock()) return false;
  const size_t taken = sent < 0 ? 0 : static_cast<size_t>(sent);
  if (rest_.empty()) {
    rest_ = bytes.substr(taken);
  } else {
    rest_.erase(0, taken);
  }
  return true;
}

std::optional<Received> ReceiveSome(int fd) {
  thread_local std::array<char, kReceiveBytes> buffer;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  iovec piece{.iov_base = buffer.data(), .iov_len = buffer.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT);
  if (got > 0) [[likely]] {
    return Received{.bytes = {buffer.data(), static_cast<size_t>(got)},
                    .arrival_ns = ArrivalOf(message)};
  }
  if (got < 0 && WouldBlock()) return Received{};
  return std::nullopt;
}

void AskForArrivalTimes(int fd) {
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

std::string& ScratchMessage() {
  thread_local std::string message;
  message.clear();
  return message;
}

}  // namespace sysfleet
