// The messages that tell agents what a plan asks of them. Pure.
#pragma once

#include <cstdint>

#include "coordinator/plan/plan.h"
#include "coordinator/schedule/schedule.h"

namespace sysfleet {

namespace v1 {
class CoordinatorMessage;
class Workload;
}  // namespace v1

v1::CoordinatorMessage OpenTasksOrder(const Plan& plan, const AgentShare& share);
/// `unique_base` is the cell's, the same for all agents.
v1::CoordinatorMessage ArmOrder(const Plan& plan, const v1::Workload& workload, const Cell& cell,
                                const AgentShare& share, uint64_t unique_base);

}  // namespace sysfleet
