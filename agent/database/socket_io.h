// Sending and receiving on a connected, non-blocking socket that a client library has opened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sysfleet {

/// Bytes that wait for a socket to take them. Empty nearly always: then sending is one system call.
class SendBuffer {
 public:
  /// False where the socket is broken; the reason is found by reading.
  bool Send(int fd, std::string_view bytes);
  /// Sends on what is left.
  bool Flush(int fd) { return Send(fd, {}); }
  bool empty() const { return rest_.empty(); }
  void Clear() { rest_.clear(); }

 private:
  std::string rest_;
};

struct Received {
  /// Empty where nothing has come. Valid until the next call on the same thread, for any socket.
  std::string_view bytes;
  /// When the kernel took the last of them from the network, by the steady clock: however long they
  /// then lay in the socket is not in it. 0 where the kernel does not tell.
  int64_t arrival_ns = 0;
};

/// Nothing at the end of the stream or after an error.
std::optional<Received> ReceiveSome(int fd);

/// Has the kernel note when bytes arrive. Where it cannot, nothing changes.
void AskForArrivalTimes(int fd);

/// An empty text to put a message together, the same for all of a thread's connections: it keeps
/// its memory, so that encoding allocates nothing.
std::string& ScratchMessage();

}  // namespace sysfleet
