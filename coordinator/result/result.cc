#include "coordinator/result/result.h"

#include <algorithm>
#include <map>
#include <string>

namespace sysfleet {

namespace {

double LittlesRest(double tps, double mean_ns, int connections) {
  const double connections_waiting = tps * mean_ns / 1e9;
  return std::clamp(1 - connections_waiting / connections, 0.0, 1.0);
}

}  // namespace

double CellResult::ClientShare() const {
  if (transactions == 0 || threads <= 0) return 0;
  // Not TPS: a bulk INSERT counts as many transactions and has one latency.
  return LittlesRest(PerSecond(latency.count()), latency.MeanNs(), threads);
}

std::optional<double> CellResult::ClientShare(const AgentCellResult& agent) const {
  if (agent.transactions == 0 || agent.connections <= 0 || !agent.mean_ns) return std::nullopt;
  return LittlesRest(Tps(agent), *agent.mean_ns, agent.connections);
}

int FleetCores(const RunResult& result) {
  std::map<std::string, int> cores_by_host;
  for (const AgentResult& agent : result.agents) cores_by_host[agent.host] = agent.cores;
  int cores = 0;
  for (const auto& [host, count] : cores_by_host) cores += count;
  return cores;
}

}  // namespace sysfleet
