#include "agent/calibration/calibration.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "agent/calibration/load_meter.h"
#include "agent/calibration/null_server.h"
#include "agent/engine/cores.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/version.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

constexpr size_t kPairsMax = 16;
// Beside connections: epoll, sockets that listen, standard streams.
constexpr uint64_t kOtherFiles = 128;
constexpr int kTableSize = 100'000;

int64_t CpuNanos(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * kNanosPerSecond + time.tv_nsec;
}

uint64_t FilesNeeded(uint64_t pairs, int connections) {
  return pairs * 2 * static_cast<uint64_t>(connections) + kOtherFiles;
}

// Null servers, each on a thread and a core of its own.
class NullServers {
 public:
  ~NullServers() {
    for (auto& server : servers_) server->Stop();
    for (auto& thread : threads_) thread.join();
  }

  absl::Status Add(DriverFamily family, int core) {
    auto server = NullServer::Listen({.family = family == DriverFamily::kPostgresql
                                                    ? NullServerFamily::kPostgresql
                                                    : NullServerFamily::kMysql});
    if (!server.ok()) return server.status();
    threads_.emplace_back([&runs = **server] { runs.Run(); });
    servers_.push_back(*std::move(server));
    PinTo(threads_.back(), core);
    return absl::OkStatus();
  }

  std::vector<ConnectionOptions> Nodes() const {
    std::vector<ConnectionOptions> nodes;
    for (const auto& server : servers_) {
      nodes.push_back({.node = {"127.0.0.1", server->port()},
                       .address = "127.0.0.1",
                       .database = "sbtest",
                       .user = "sbtest",
                       .tls = Tls::kDisable});
    }
    return nodes;
  }

  /// Of this process without these threads.
  LoadReading Read() {
    LoadReading reading{.cpu_ns = CpuNanos(CLOCK_PROCESS_CPUTIME_ID)};
    for (auto& thread : threads_) {
      clockid_t clock{};
      pthread_getcpuclockid(thread.native_handle(), &clock);
      reading.cpu_ns -= CpuNanos(clock);
    }
    for (const auto& server : servers_) reading.statements += server->statements();
    return reading;
  }

 private:
  std::vector<std::unique_ptr<NullServer>> servers_;
  std::vector<std::thread> threads_;
};

uint32_t AddUniform(v1::Workload& workload, const char* name, int64_t max) {
  v1::Variable& variable = *workload.add_variables();
  variable.set_name(name);
  variable.mutable_generator()->mutable_uniform()->set_min(1);
  variable.mutable_generator()->mutable_uniform()->set_max(max);
  return static_cast<uint32_t>(workload.variables_size() - 1);
}

// As the coordinator compiles oltp_point_select with one table.
v1::Workload PointSelect(DriverFamily family) {
  v1::Workload workload;
  workload.set_name("calibration");
  workload.set_tables(1);
  const uint32_t table = AddUniform(workload, "table", 1);
  const uint32_t id = AddUniform(workload, "id", kTableSize);
  v1::Statement& statement = *workload.add_statements();
  statement.set_name("point_select");
  statement.set_sql(family == DriverFamily::kPostgresql ? "SELECT c FROM sbtest{table} WHERE id=$1"
                                                        : "SELECT c FROM sbtest{table} WHERE id=?");
  statement.set_table_variable(table);
  v1::Parameter& parameter = *statement.add_parameters();
  parameter.set_type(v1::COLUMN_TYPE_INT32);
  parameter.set_variable(id);
  v1::Transaction& transaction = *workload.add_transactions();
  transaction.set_name("point_select");
  transaction.set_weight(1);
  transaction.add_steps()->set_draw(table);
  transaction.add_steps()->set_draw(id);
  transaction.add_steps()->set_execute(0);
  return workload;
}

absl::StatusOr<CellOrder> MakeOrder(DriverFamily family, const NullServers& servers,
                                    int connections) {
  auto program = Program::Compile(PointSelect(family));
  if (!program.ok()) return program.status();
  CellOrder order;
  order.program = *std::move(program);
  order.make_connection = [family](const ConnectionOptions& options, Poller& poller) {
    return MakeConnection(family, options, poller);
  };
  order.nodes = servers.Nodes();
  order.connections = connections;
  order.fleet_connections = connections;
  order.seed = 1;
  return order;
}

class Calibrator {
 public:
  Calibrator(const CalibrationOptions& options, std::vector<int> cores, size_t pairs)
      : options_(options),
        cores_(std::move(cores)),
        pairs_(pairs),
        reactors_(pairs, ReactorPool::Pinning::kOnePerCore) {}

  absl::StatusOr<CoreRate> Measure(DriverFamily family, int connections) {
    NullServers servers;
    // Reactors have the first cores.
    for (size_t i = 0; i < pairs_; ++i) {
      SYSFLEET_RETURN_IF_ERROR(servers.Add(family, cores_[cores_.size() - 1 - i]));
    }
    // Connection g goes to reactor and to null server g modulo the pairs.
    auto order = MakeOrder(family, servers, static_cast<int>(pairs_) * connections);
    if (!order.ok()) return order.status();
    LoadMeter meter(reactors_, *std::move(order), [&servers] { return servers.Read(); });
    const auto spent = meter.Measure(options_.time / 4, options_.time - options_.time / 4);
    if (!spent.ok()) return spent.status();
    if (spent->statements == 0 || spent->cpu_ns <= 0) {
      return absl::UnavailableError(
          "no statement was executed; does this machine have any time left for it?");
    }
    return CoreRate{.family = family,
                    .connections = connections,
                    .qps = std::round(static_cast<double>(spent->statements) * kNanosPerSecond /
                                      static_cast<double>(spent->cpu_ns))};
  }

 private:
  const CalibrationOptions& options_;
  const std::vector<int> cores_;
  const size_t pairs_;
  ReactorPool reactors_;
};

absl::Status CheckRoom(const CalibrationOptions& options, size_t cores, int connections_max) {
  if (cores < 2) {
    return absl::FailedPreconditionError(
        "calibrating takes two cores, one for the load and one for what answers it; this process "
        "may use one");
  }
  const uint64_t needed = FilesNeeded(1, connections_max);
  if (needed <= options.open_files) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      fmt::format("{} connections to this process itself need {} open files, it may have {}; raise "
                  "its limit (ulimit -n)",
                  connections_max, needed, options.open_files));
}

std::string HostName() {
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  return host;
}

}  // namespace

absl::StatusOr<Calibration> Calibrate(const CalibrationOptions& options,
                                      const std::function<void(const CoreRate&)>& on_rate) {
  const std::vector<int> cores = UsableCores();
  const int connections_max =
      *std::max_element(options.connections.begin(), options.connections.end());
  SYSFLEET_RETURN_IF_ERROR(CheckRoom(options, cores.size(), connections_max));
  Calibration calibration{.measured_at = IsoUtc(std::chrono::system_clock::now()),
                          .version = std::string(kVersion),
                          .host = HostName(),
                          .cores = MachineCores()};
  Calibrator calibrator(options, cores,
                        CalibrationPairs(cores.size(), options.open_files, connections_max));
  for (const DriverFamily family : {DriverFamily::kPostgresql, DriverFamily::kMysql}) {
    for (const int connections : options.connections) {
      const auto rate = calibrator.Measure(family, connections);
      if (!rate.ok()) return rate.status();
      on_rate(*rate);
      calibration.rates.push_back(*rate);
    }
  }
  return calibration;
}

size_t CalibrationPairs(size_t cores, uint64_t open_files, int connections_max) {
  size_t pairs = std::min(cores / 2, kPairsMax);
  while (pairs > 0 && FilesNeeded(pairs, connections_max) > open_files) --pairs;
  return pairs;
}

}  // namespace sysfleet
