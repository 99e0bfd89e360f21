#include "tests/support/proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/clock.h"

namespace sysfleet {
namespace {

// The modes are looked at this often.
constexpr int kTickMs = 2;
constexpr size_t kHeldBytesMax = size_t{1} << 20;

sockaddr_in LoopbackAddress(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int NonBlockingSocket() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

void Reset(int fd) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  close(fd);
}

/// One direction of one connection.
struct Pipe {
  int from = -1;
  int to = -1;
  struct Piece {
    int64_t due_ns;
    std::string bytes;
  };
  std::deque<Piece> pieces;
  size_t held = 0;
  bool at_end = false;

  /// False where the connection is broken.
  bool Read(int64_t due_ns) {
    std::array<char, 65'536> buffer;
    const ssize_t count = recv(from, buffer.data(), buffer.size(), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) {
      at_end = true;
      return true;
    }
    held += static_cast<size_t>(count);
    pieces.push_back({due_ns, std::string(buffer.data(), static_cast<size_t>(count))});
    return true;
  }

  bool Write(int64_t now_ns) {
    while (!pieces.empty() && pieces.front().due_ns <= now_ns) {
      std::string& bytes = pieces.front().bytes;
      const ssize_t count = send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0) return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
      held -= static_cast<size_t>(count);
      bytes.erase(0, static_cast<size_t>(count));
      if (!bytes.empty()) return true;
      pieces.pop_front();
    }
    if (at_end && pieces.empty()) shutdown(to, SHUT_WR);
    return true;
  }
};

struct Link {
  Pipe up;
  Pipe down;
  bool finished() const {
    return up.at_end && down.at_end && up.pieces.empty() && down.pieces.empty();
  }
};

}  // namespace

class Proxy::Loop {
 public:
  Loop(int listener, uint16_t target) : listener_(listener), target_(target) {
    thread_ = std::thread([this] {
      while (!ending_) Turn();
    });
  }
  ~Loop() {
    ending_ = true;
    thread_.join();
    for (Link& link : links_) Close(link, false);
    close(listener_);
  }

  std::atomic<Mode> mode = Mode::kPass;
  std::atomic<int64_t> delay_ns = 0;

 private:
  void Turn() {
    const Mode now = mode;
    std::vector<pollfd> waited = {{listener_, POLLIN, 0}};
    for (const Link& link : links_) {
      for (const Pipe* pipe : {&link.up, &link.down}) {
        const bool reads = !pipe->at_end && pipe->held < kHeldBytesMax && now == Mode::kPass;
        waited.push_back({reads ? pipe->from : -1, POLLIN, 0});
      }
    }
    poll(waited.data(), waited.size(), kTickMs);
    if (now == Mode::kReset) {
      for (Link& link : links_) Close(link, true);
      links_.clear();
    }
    if (now == Mode::kPass) Pass(waited);
    if (now != Mode::kStall) Accept(now);
  }

  void Pass(const std::vector<pollfd>& waited) {
    const int64_t now_ns = SteadyNanos();
    size_t place = 1;
    std::erase_if(links_, [&](Link& link) {
      bool sound = true;
      for (Pipe* pipe : {&link.up, &link.down}) {
        if (waited[place++].revents != 0) sound = pipe->Read(now_ns + delay_ns) && sound;
        sound = pipe->Write(now_ns) && sound;
      }
      if (sound && !link.finished()) return false;
      Close(link, !sound);
      return true;
    });
  }

  void Accept(Mode now) {
    while (true) {
      const int client = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (client < 0) return;
      if (now == Mode::kReset) {
        Reset(client);
        continue;
      }
      const int server = NonBlockingSocket();
      const sockaddr_in address = LoopbackAddress(target_);
      connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
      links_.push_back(
          {.up = {.from = client, .to = server}, .down = {.from = server, .to = client}});
    }
  }

  static void Close(const Link& link, bool reset) {
    for (const int fd : {link.up.from, link.up.to}) reset ? Reset(fd) : void(close(fd));
  }

  const int listener_;
  const uint16_t target_;
  std::vector<Link> links_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<Proxy>> Proxy::Start(const Endpoint& target) {
  const int listener = NonBlockingSocket();
  sockaddr_in address = LoopbackAddress(0);
  socklen_t length = sizeof(address);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listener, 1'024) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return absl::UnavailableError(std::strerror(errno));
  }
  return std::unique_ptr<Proxy>(new Proxy(std::make_unique<Loop>(listener, target.port),
                                          {"127.0.0.1", ntohs(address.sin_port)}));
}

Proxy::Proxy(std::unique_ptr<Loop> loop, Endpoint endpoint)
    : loop_(std::move(loop)), endpoint_(std::move(endpoint)) {}
Proxy::~Proxy() = default;
void Proxy::Set(Mode mode) {
  loop_->mode = mode;
}
void Proxy::Delay(std::chrono::milliseconds delay) {
  loop_->delay_ns = std::chrono::nanoseconds(delay).count();
}

}  // namespace sysfleet
