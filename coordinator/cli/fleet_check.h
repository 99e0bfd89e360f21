// What `coordinator check --connect` adds: the agents as they answered, and whether they have the
// cores that the plan's reference needs. A pure function.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "coordinator/fleet/fleet.h"
#include "coordinator/plan/plan.h"
#include "coordinator/report/report.h"

namespace sysfleet {

/// Text for a terminal or a file. `agents` is not empty.
std::string RenderFleetCheck(const Plan& plan, std::span<const FleetAgent> agents,
                             const std::vector<ReferenceRow>& reference);

}  // namespace sysfleet
