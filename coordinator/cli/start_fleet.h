// The fleet of a plan: its agents, or one that is started here for it.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/fleet/local_agent.h"
#include "coordinator/plan/plan.h"

namespace sysfleet {

struct StartedFleet {
  /// Null where the plan names agents; outlives the fleet.
  std::unique_ptr<LocalAgent> local_agent;
  std::unique_ptr<Fleet> fleet;
};

/// To be called from the main thread. The fleet is not open yet.
absl::StatusOr<StartedFleet> StartFleet(const Plan& plan, const std::string& run_id);

}  // namespace sysfleet
