// Words about a run that several commands print. Pure functions.
#pragma once

#include <string>

#include "coordinator/plan/plan.h"
#include "coordinator/schedule/schedule.h"

namespace sysfleet {

/// "tdstore-sysbench  36 cells, about 6 h 2 min": what a run of the plan will be, without loading.
std::string RunHead(const Plan& plan, const Schedule& schedule);

}  // namespace sysfleet
