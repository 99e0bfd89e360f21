// A plan's own workload, compiled into the message that agents execute. Internal to this folder.
#pragma once

#include "coordinator/plan/plan.h"

namespace sysfleet {

namespace v1 {
class Workload;
}

/// `workload.own` is set, and sound.
v1::Workload CompileOwnWorkload(const WorkloadPlan& workload, Driver driver);

}  // namespace sysfleet
