#include "coordinator/run/orders.h"

#include <chrono>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

v1::TlsMode ToMessage(TlsPolicy policy) {
  switch (policy) {
    case TlsPolicy::kDisable:
      return v1::TLS_MODE_DISABLE;
    case TlsPolicy::kPrefer:
      return v1::TLS_MODE_PREFER;
    case TlsPolicy::kRequire:
      return v1::TLS_MODE_REQUIRE;
  }
  return v1::TLS_MODE_UNSPECIFIED;
}

void ToMessage(const DatabasePlan& plan, v1::Database& message) {
  message.set_driver(plan.driver == Driver::kPostgresql ? v1::DRIVER_POSTGRESQL : v1::DRIVER_MYSQL);
  for (const Endpoint& endpoint : plan.nodes) {
    v1::Node& node = *message.add_nodes();
    node.set_host(endpoint.host);
    node.set_port(endpoint.port);
  }
  message.set_name(plan.name);
  message.set_user(plan.user);
  message.set_password(plan.password);
  message.set_tls(ToMessage(plan.tls));
}

uint64_t Millis(std::chrono::seconds time) {
  return static_cast<uint64_t>(std::chrono::milliseconds(time).count());
}

}  // namespace

v1::CoordinatorMessage OpenTasksOrder(const Plan& plan, const AgentShare& share) {
  v1::CoordinatorMessage message;
  v1::OpenTasks& order = *message.mutable_open_tasks();
  ToMessage(plan.database, *order.mutable_database());
  order.set_connections(static_cast<uint32_t>(share.connections));
  order.set_first_connection(static_cast<uint64_t>(share.first_connection));
  order.set_connect_timeout_ms(Millis(plan.run.thread_init_timeout));
  return message;
}

v1::CoordinatorMessage ArmOrder(const Plan& plan, const v1::Workload& workload, const Cell& cell,
                                const AgentShare& share, uint64_t unique_base) {
  v1::CoordinatorMessage message;
  v1::Arm& arm = *message.mutable_arm();
  arm.set_cell(static_cast<uint32_t>(cell.number));
  *arm.mutable_workload() = workload;
  // Where nobody asks what became of the tables, agents need not count it.
  if (!plan.run.audit) {
    for (v1::Statement& statement : *arm.mutable_workload()->mutable_statements()) {
      statement.clear_effect();
    }
  }
  ToMessage(plan.database, *arm.mutable_database());
  arm.set_connections(static_cast<uint32_t>(share.connections));
  arm.set_first_connection(static_cast<uint64_t>(share.first_connection));
  arm.set_fleet_connections(static_cast<uint64_t>(cell.threads));
  arm.set_seed(cell.seed);
  arm.set_unique_base(unique_base);
  arm.set_warmup_windows(static_cast<uint32_t>(plan.run.warmup_time.count()));
  arm.set_measured_windows(static_cast<uint32_t>(cell.time.count()));
  arm.set_transactions_limit(static_cast<uint64_t>(plan.run.events));
  arm.mutable_error_policy()->set_retry_all(plan.run.ignore_errors.all);
  for (const std::string& code : plan.run.ignore_errors.codes) {
    arm.mutable_error_policy()->add_retry_codes(code);
  }
  arm.mutable_error_policy()->set_retries_max(static_cast<uint32_t>(plan.run.retry_limit));
  arm.set_connect_timeout_ms(Millis(plan.run.thread_init_timeout));
  arm.set_reconnect_every(static_cast<uint64_t>(plan.run.reconnect));
  arm.set_rate_per_s(cell.rate_per_s);
  arm.set_arrivals(plan.run.arrivals == ArrivalProcess::kEven ? v1::ARRIVALS_EVEN
                                                              : v1::ARRIVALS_POISSON);
  arm.set_drain_ms(Millis(plan.run.forced_shutdown));
  return message;
}

}  // namespace sysfleet
