#include "agent/session/orders.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "agent/database/factory.h"
#include "common/base/open_files.h"
#include "common/base/status.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

// Beside connections: epoll, pipes, the coordinator's stream, libraries.
constexpr uint64_t kOtherFiles = 64;

absl::StatusOr<std::string> Resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0) {
    return absl::UnavailableError(
        fmt::format("database node {}: the name does not resolve: {}", host, gai_strerror(error)));
  }
  // A server that listens on one family only mostly listens on IPv4.
  const addrinfo* chosen = found;
  for (const addrinfo* other = found; other != nullptr; other = other->ai_next) {
    if (other->ai_family != AF_INET) continue;
    chosen = other;
    break;
  }
  char text[NI_MAXHOST];
  const int error = getnameinfo(chosen->ai_addr, chosen->ai_addrlen, text, sizeof(text), nullptr, 0,
                                NI_NUMERICHOST);
  freeaddrinfo(found);
  if (error != 0)
    return absl::UnavailableError(fmt::format("database node {}: {}", host, gai_strerror(error)));
  return std::string(text);
}

absl::StatusOr<DriverFamily> FamilyOf(const v1::Database& database) {
  switch (database.driver()) {
    case v1::DRIVER_POSTGRESQL:
      return DriverFamily::kPostgresql;
    case v1::DRIVER_MYSQL:
      return DriverFamily::kMysql;
    default:
      return absl::InvalidArgumentError("the order names no driver that this agent has");
  }
}

Tls TlsOf(v1::TlsMode mode) {
  switch (mode) {
    case v1::TLS_MODE_DISABLE:
      return Tls::kDisable;
    case v1::TLS_MODE_REQUIRE:
      return Tls::kRequire;
    default:
      return Tls::kPrefer;
  }
}

absl::StatusOr<std::vector<ConnectionOptions>> NodesOf(const v1::Database& database) {
  if (database.nodes().empty()) return absl::InvalidArgumentError("the order names no node");
  std::vector<ConnectionOptions> nodes;
  for (const v1::Node& node : database.nodes()) {
    auto address = Resolve(node.host());
    if (!address.ok()) return address.status();
    nodes.push_back({.node = {node.host(), static_cast<uint16_t>(node.port())},
                     .address = *std::move(address),
                     .database = database.name(),
                     .user = database.user(),
                     .password = database.password(),
                     .tls = TlsOf(database.tls())});
  }
  return nodes;
}

absl::Status CheckConnections(uint32_t connections) {
  if (connections == 0) return absl::InvalidArgumentError("the order asks for no connection");
  const uint64_t limit = OpenFilesLimit();
  if (connections + kOtherFiles <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      fmt::format("{} connections need {} open files, this agent may have {}; raise its limit "
                  "(ulimit -n, or LimitNOFILE= of its service)",
                  connections, connections + kOtherFiles, limit));
}

}  // namespace

absl::StatusOr<CellOrder> ToCellOrder(const v1::Arm& arm) {
  SYSFLEET_RETURN_IF_ERROR(CheckConnections(arm.connections()));
  if (arm.measured_windows() == 0 && arm.transactions_limit() == 0) {
    return absl::InvalidArgumentError("the cell has neither a time nor a number of transactions");
  }
  if (arm.first_connection() + arm.connections() > arm.fleet_connections()) {
    return absl::InvalidArgumentError("the order's connections are not within the fleet's");
  }
  CellOrder order;
  auto family = FamilyOf(arm.database());
  if (!family.ok()) return family.status();
  auto nodes = NodesOf(arm.database());
  if (!nodes.ok()) return nodes.status();
  auto program = Program::Compile(
      arm.workload(), *family == DriverFamily::kMysql ? Quoting::kBackslash : Quoting::kStandard);
  if (!program.ok()) return Annotate(program.status(), "workload " + arm.workload().name());
  order.make_connection = [family = *family](const ConnectionOptions& options, Poller& poller) {
    return MakeConnection(family, options, poller);
  };
  order.nodes = *std::move(nodes);
  order.program = *std::move(program);
  order.connections = static_cast<int>(arm.connections());
  order.first_connection = static_cast<int64_t>(arm.first_connection());
  order.fleet_connections = static_cast<int64_t>(arm.fleet_connections());
  order.seed = arm.seed();
  order.unique_base = arm.unique_base();
  order.warmup_windows = arm.warmup_windows();
  order.measured_windows = arm.measured_windows();
  order.transactions_limit = static_cast<int64_t>(arm.transactions_limit());
  order.retry.all = arm.error_policy().retry_all();
  for (const std::string& code : arm.error_policy().retry_codes())
    order.retry.codes.push_back(code);
  order.retry.retries_max = static_cast<int>(arm.error_policy().retries_max());
  order.connect_timeout = std::chrono::milliseconds(arm.connect_timeout_ms());
  order.reconnect_every = static_cast<int64_t>(arm.reconnect_every());
  if (arm.has_drain_ms()) order.drain = std::chrono::milliseconds(arm.drain_ms());
  if (arm.rate_per_s() < 0 || !std::isfinite(arm.rate_per_s())) {
    return absl::InvalidArgumentError("the order's rate is no rate");
  }
  if (arm.rate_per_s() > 0) {
    order.open_loop = {.rate_per_s = arm.rate_per_s(), .even = arm.arrivals() == v1::ARRIVALS_EVEN};
  }
  return order;
}

absl::StatusOr<TaskGroupOptions> ToTaskGroupOptions(const v1::OpenTasks& message) {
  SYSFLEET_RETURN_IF_ERROR(CheckConnections(message.connections()));
  TaskGroupOptions order;
  auto family = FamilyOf(message.database());
  if (!family.ok()) return family.status();
  const auto nodes = NodesOf(message.database());
  if (!nodes.ok()) return nodes.status();
  order.family = *family;
  order.connect_timeout = std::chrono::milliseconds(message.connect_timeout_ms());
  for (uint64_t i = 0; i < message.connections(); ++i) {
    order.connections.push_back((*nodes)[(message.first_connection() + i) % nodes->size()]);
  }
  return order;
}

}  // namespace sysfleet
