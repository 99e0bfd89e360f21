// The coordinator's orders made ready for the engine: validated, compiled, addresses resolved.
#pragma once

#include "absl/status/statusor.h"
#include "agent/engine/cell_order.h"
#include "agent/load/task_group.h"

namespace sysfleet {

namespace v1 {
class Arm;
class Database;
class OpenTasks;
}  // namespace v1

/// Resolving names may block; not for a reactor's thread. INVALID_ARGUMENT for an order that cannot
/// be meant, UNAVAILABLE for a name that does not resolve, RESOURCE_EXHAUSTED for more connections
/// than this process may open files.
absl::StatusOr<CellOrder> ToCellOrder(const v1::Arm& arm);
absl::StatusOr<TaskGroupOptions> ToTaskGroupOptions(const v1::OpenTasks& message);

}  // namespace sysfleet
