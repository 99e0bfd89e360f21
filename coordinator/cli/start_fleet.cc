#include "coordinator/cli/start_fleet.h"

#include <utility>
#include <vector>

namespace sysfleet {

absl::StatusOr<StartedFleet> StartFleet(const Plan& plan, const std::string& run_id) {
  StartedFleet started;
  std::vector<Endpoint> agents = plan.agents;
  if (agents.empty()) {
    auto local = LocalAgent::Start();
    if (!local.ok()) return local.status();
    started.local_agent = *std::move(local);
    agents.push_back(started.local_agent->endpoint());
  }
  // The one on this machine listens on loopback, and is nobody's but ours.
  const Security security = plan.agents.empty() ? Security{} : plan.fleet.security;
  started.fleet = std::make_unique<Fleet>(
      std::move(agents), RunIdentity{.run_id = run_id, .lease = plan.fleet.lease}, security);
  return started;
}

}  // namespace sysfleet
