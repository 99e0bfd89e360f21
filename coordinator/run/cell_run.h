// One cell of the sweep, from arming to its result. Belongs to the run's thread.
#pragma once

#include "coordinator/fleet/fleet.h"
#include "coordinator/plan/plan.h"
#include "coordinator/result/result.h"
#include "coordinator/run/observer.h"
#include "coordinator/schedule/schedule.h"

namespace sysfleet {

namespace v1 {
class Workload;
}

/// Returns when every agent has ended the cell or was given up; what went wrong is in the result.
CellResult RunCell(Fleet& fleet, const Plan& plan, const v1::Workload& workload, const Cell& cell,
                   RunObserver& observer);

}  // namespace sysfleet
