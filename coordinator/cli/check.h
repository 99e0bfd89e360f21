// What `coordinator check` prints: everything that a run of the plan would do, without doing it. A
// pure function.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "coordinator/plan/plan.h"
#include "coordinator/schedule/schedule.h"

namespace sysfleet {

/// Text for a terminal or a file: the cells and how each is split over agents and nodes, the chunks
/// of rows, the SQL of the data set and of every workload, and `plan_yaml`, the plan with its
/// defaults and without secrets. `schedule` is the plan's own. Fails where a workload cannot be
/// compiled.
absl::StatusOr<std::string> RenderCheck(const Plan& plan, const Schedule& schedule,
                                        const std::string& plan_yaml);

}  // namespace sysfleet
