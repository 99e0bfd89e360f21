// What executes the orders of a session: the seam between the session, which speaks with the
// coordinator, and what drives connections.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "agent/engine/cell.h"
#include "agent/load/task_group.h"

namespace sysfleet {

namespace v1 {
class Arm;
class OpenTasks;
}  // namespace v1

/// Thread-safe. Outlives the cells and tasks that it makes.
class Engine {
 public:
  /// Leads to the thread of whoever owns a cell or tasks.
  using Executor = std::function<void(std::function<void()>)>;

  virtual ~Engine() = default;

  /// Not armed yet. May block, to resolve names. An error says why the order cannot be executed.
  virtual absl::StatusOr<std::unique_ptr<CellControl>> MakeCell(const v1::Arm& order, Executor post,
                                                                CellEvents& events) = 0;

  /// Not opened yet; likewise.
  virtual absl::StatusOr<std::unique_ptr<TaskControl>> MakeTasks(
      const v1::OpenTasks& order, Executor post, TaskGroup::OpenedCallback on_opened,
      TaskGroup::DoneCallback on_done) = 0;
};

}  // namespace sysfleet
