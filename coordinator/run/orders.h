// The messages that tell agents what a plan asks of them. Pure.
#pragma once

#include "coordinator/plan/plan.h"
#include "coordinator/schedule/schedule.h"

namespace sysfleet {

namespace v1 {
class CoordinatorMessage;
class Workload;
}  // namespace v1

v1::CoordinatorMessage OpenTasksOrder(const Plan& plan, const AgentShare& share);
v1::CoordinatorMessage ArmOrder(const Plan& plan, const v1::Workload& workload, const Cell& cell,
                                const AgentShare& share);

}  // namespace sysfleet
