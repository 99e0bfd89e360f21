#include "coordinator/result/client_limit.h"

#include <algorithm>

namespace sysfleet {

double ClientStrain(const CellResult& cell, const AgentCellResult& agent) {
  return std::max(cell.ClientShare(agent).value_or(0) / kClientShareMax,
                  agent.load.busiest_reactor_share.value_or(0) / kReactorShareMax);
}

bool HasNoTimeLeft(const CellResult& cell) {
  return cell.load.busiest_reactor_share.value_or(0) > kReactorShareMax;
}

const AgentCellResult* LimitingAgent(const CellResult& cell) {
  const AgentCellResult* limiting = nullptr;
  double strain = 1;
  for (const AgentCellResult& agent : cell.agents) {
    const double of_agent = ClientStrain(cell, agent);
    if (of_agent <= strain) continue;
    strain = of_agent;
    limiting = &agent;
  }
  return limiting;
}

}  // namespace sysfleet
