#include "coordinator/result/result.h"

#include <algorithm>
#include <map>
#include <string>

namespace sysfleet {

double CellResult::ClientShare() const {
  if (transactions == 0 || threads <= 0) return 0;
  const double connections_waiting = Tps() * latency.MeanNs() / 1e9;
  return std::clamp(1 - connections_waiting / threads, 0.0, 1.0);
}

int FleetCores(const RunResult& result) {
  std::map<std::string, int> cores_by_host;
  for (const AgentResult& agent : result.agents) cores_by_host[agent.host] = agent.cores;
  int cores = 0;
  for (const auto& [host, count] : cores_by_host) cores += count;
  return cores;
}

}  // namespace sysfleet
