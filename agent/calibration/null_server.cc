#include "agent/calibration/null_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "agent/database/socket_io.h"
#include "common/base/clock.h"

namespace sysfleet {
namespace {

constexpr int kBacklog = 4096;
constexpr size_t kEventsPerTurn = 256;
// Turns between two looks at what is not urgent.
constexpr int kTurnsPerLook = 64;

absl::Status Unavailable(uint16_t port, std::string_view what) {
  return absl::UnavailableError(
      fmt::format("port {} of 127.0.0.1: {}: {}", port, what, std::strerror(errno)));
}

}  // namespace

struct NullServer::Client {
  int fd = -1;
  // Tells this client from an earlier one with the same descriptor.
  uint64_t number = 0;
  std::unique_ptr<NullProtocol> protocol;
  std::string unread;  // the beginning of a message whose rest has not come
  std::string unsent;
  bool watches_writing = false;
  // Executions that are not answered yet, and when the last of them arrived.
  uint64_t unanswered = 0;
  int64_t arrival_ns = 0;
};

absl::StatusOr<std::unique_ptr<NullServer>> NullServer::Listen(const NullServerOptions& options) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return Unavailable(options.port, "no socket");
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd, generic, size) != 0 || listen(fd, kBacklog) != 0 ||
      getsockname(fd, generic, &size) != 0) {
    const absl::Status status = Unavailable(options.port, "cannot be listened on");
    close(fd);
    return status;
  }
  return std::unique_ptr<NullServer>(new NullServer(options, fd, ntohs(address.sin_port)));
}

NullServer::NullServer(const NullServerOptions& options, int listen_fd, uint16_t port)
    : options_(options),
      listen_fd_(listen_fd),
      port_(port),
      epoll_fd_(epoll_create1(EPOLL_CLOEXEC)),
      family_(options.family == NullServerFamily::kMysql ? MakeNullMysql() : MakeNullPostgresql()) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = listen_fd_}};
  epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, listen_fd_, &event);
}

NullServer::~NullServer() {
  for (auto& client : clients_) {
    if (client) close(client->fd);
  }
  close(epoll_fd_);
  close(listen_fd_);
}

void NullServer::Run() {
  std::array<epoll_event, kEventsPerTurn> events{};
  for (int turn = 0; !stopping_.load(std::memory_order_relaxed); ++turn) {
    if (turn % kTurnsPerLook == 0 && on_turn_) on_turn_();
    const int count = epoll_wait(epoll_fd_, events.data(), static_cast<int>(events.size()), 0);
    arrival_ns_ = SteadyNanos();
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<size_t>(i)].data.fd;
      if (fd == listen_fd_) {
        Accept();
        continue;
      }
      auto& client = clients_[static_cast<size_t>(fd)];
      if (client && !client->unsent.empty() && client->watches_writing) Send(*client);
      if (client) Read(*client);
    }
    SendDue();
  }
}

void NullServer::Accept() {
  while (true) {
    const int fd = accept4(listen_fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto index = static_cast<size_t>(fd);
    if (index >= clients_.size()) clients_.resize(index + 1);
    clients_[index] = std::make_unique<Client>();
    Client& client = *clients_[index];
    client.fd = fd;
    client.number = ++clients_so_far_;
    client.protocol = family_->Accept();
    if (observer_) AskForArrivalTimes(fd);
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event);
    client.protocol->Greet(client.unsent);
    Send(client);
  }
}

void NullServer::Read(Client& client) {
  const std::optional<Received> received = ReceiveSome(client.fd);
  if (!received) return Close(client);
  if (received->bytes.empty()) return;
  client.arrival_ns = received->arrival_ns != 0 ? received->arrival_ns : arrival_ns_;
  if (client.unread.empty()) return Answer(client, received->bytes);
  const std::string whole = std::exchange(client.unread, {}).append(received->bytes);
  Answer(client, whole);
}

void NullServer::Answer(Client& client, std::string_view in) {
  const uint64_t before = client.protocol->statements();
  const size_t used = client.protocol->Answer(in, client.unsent);
  if (used < in.size()) client.unread.assign(in.substr(used));
  if (client.protocol->ended()) return Close(client);
  const uint64_t executed = client.protocol->statements() - before;
  client.unanswered += executed;
  statements_.store(statements() + executed, std::memory_order_relaxed);
  if (client.unsent.empty()) return;
  // Only executions are delayed: connecting and preparing should not take longer for it.
  if (executed == 0 || options_.delay.count() == 0) return Send(client);
  const int64_t delay_ns = std::chrono::nanoseconds(options_.delay).count();
  delayed_.push_back({arrival_ns_ + delay_ns, client.fd, client.number});
}

void NullServer::SendDue() {
  while (!delayed_.empty() && delayed_.front().due_ns <= SteadyNanos()) {
    const Delayed due = delayed_.front();
    delayed_.pop_front();
    auto& client = clients_[static_cast<size_t>(due.fd)];
    if (client && client->number == due.client) Send(*client);
  }
}

void NullServer::Send(Client& client) {
  if (observer_ && client.unanswered > 0) {
    // Before the send, which on loopback does the receiver's work too.
    const int64_t took_ns = SteadyNanos() - client.arrival_ns;
    for (; client.unanswered > 0; --client.unanswered) observer_(took_ns);
  }
  const ssize_t sent =
      send(client.fd, client.unsent.data(), client.unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return Close(client);
  if (sent > 0) client.unsent.erase(0, static_cast<size_t>(sent));
  const bool watches_writing = !client.unsent.empty();
  if (watches_writing == client.watches_writing) return;
  client.watches_writing = watches_writing;
  epoll_event event{.events = EPOLLIN | (watches_writing ? EPOLLOUT : 0U),
                    .data = {.fd = client.fd}};
  epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, client.fd, &event);
}

void NullServer::Close(Client& client) {
  const int fd = client.fd;
  clients_[static_cast<size_t>(fd)].reset();
  close(fd);
}

}  // namespace sysfleet
