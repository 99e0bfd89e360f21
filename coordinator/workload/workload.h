// Workloads, built-in or a plan's own, compiled into the message that agents execute. sysbench's
// statements, order, choice of tables, parameters and defaults.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "coordinator/plan/plan.h"

namespace sysfleet {

namespace v1 {
class Workload;
}

/// The message for one workload of a plan. INVALID_ARGUMENT for a name that is not built in, or
/// where the options leave nothing to execute.
absl::StatusOr<v1::Workload> CompileWorkload(const WorkloadPlan& workload,
                                             const DatasetPlan& dataset, Driver driver);

/// How many statements a transaction executes: over its kinds, as often as each is chosen.
double StatementsPerTransaction(const v1::Workload& workload);

/// For people: each statement once, with how its parameters are drawn.
std::string Describe(const v1::Workload& workload);

}  // namespace sysfleet
