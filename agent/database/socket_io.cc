#include "agent/database/socket_io.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace sysfleet {
namespace {

constexpr size_t kReceiveBytes = 1 << 16;

bool WouldBlock() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
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

std::optional<std::string_view> ReceiveSome(int fd) {
  thread_local std::array<char, kReceiveBytes> buffer;
  const ssize_t got = recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got > 0) [[likely]]
    return std::string_view(buffer.data(), static_cast<size_t>(got));
  if (got < 0 && WouldBlock()) return std::string_view();
  return std::nullopt;
}

std::string& ScratchMessage() {
  thread_local std::string message;
  message.clear();
  return message;
}

}  // namespace sysfleet
