// A database server without a database: answers the statements of sysbench's OLTP workloads at
// almost no cost, so that what a client costs can be measured.
//
// It polls without sleeping, and so keeps one core busy: a server that sleeps has to be woken by
// each send of the client, which is charged to the client and hides what it costs itself.
//
// Run belongs to one thread; everything else is thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/calibration/null_protocol.h"

namespace sysfleet {

enum class NullServerFamily : uint8_t { kPostgresql, kMysql };

struct NullServerOptions {
  NullServerFamily family = NullServerFamily::kPostgresql;
  /// On 127.0.0.1; 0 takes any free one.
  uint16_t port = 0;
  /// From a request's arrival to its reply.
  std::chrono::microseconds delay{0};
};

class NullServer {
 public:
  /// UNAVAILABLE where the port cannot be listened on.
  static absl::StatusOr<std::unique_ptr<NullServer>> Listen(const NullServerOptions& options);
  ~NullServer();
  NullServer(const NullServer&) = delete;
  NullServer& operator=(const NullServer&) = delete;

  uint16_t port() const { return port_; }

  /// Serves until Stop.
  void Run();
  void Stop() { stopping_.store(true, std::memory_order_relaxed); }

  /// Statements executed so far, over all connections.
  uint64_t statements() const { return statements_.load(std::memory_order_relaxed); }

  /// Told of each execution when it has been answered: the time from its arrival, as the kernel has
  /// noted it, to its reply. Called on Run's thread; set before Run.
  void OnAnswered(std::function<void(int64_t took_ns)> observer) {
    observer_ = std::move(observer);
  }

  /// Called now and then on Run's thread, between requests; set before Run.
  void OnTurn(std::function<void()> observer) { on_turn_ = std::move(observer); }

 private:
  struct Client;
  struct Delayed {
    int64_t due_ns = 0;
    int fd = -1;
    uint64_t client = 0;
  };

  NullServer(const NullServerOptions& options, int listen_fd, uint16_t port);

  void Accept();
  void Read(Client& client);
  void Answer(Client& client, std::string_view in);
  void SendDue();
  void Send(Client& client);
  void Close(Client& client);

  const NullServerOptions options_;
  const int listen_fd_;
  const uint16_t port_;
  const int epoll_fd_;
  const std::unique_ptr<NullFamily> family_;
  std::vector<std::unique_ptr<Client>> clients_;  // by descriptor
  uint64_t clients_so_far_ = 0;
  std::deque<Delayed> delayed_;  // the earliest first, for the delay is the same for all
  int64_t arrival_ns_ = 0;
  std::function<void(int64_t)> observer_;
  std::function<void()> on_turn_;
  std::atomic<bool> stopping_{false};
  std::atomic<uint64_t> statements_{0};
};

}  // namespace sysfleet
