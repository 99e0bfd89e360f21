#include "agent/session/database_engine.h"

#include <utility>

#include "agent/session/orders.h"

namespace sysfleet {

absl::StatusOr<std::unique_ptr<CellControl>> DatabaseEngine::MakeCell(const v1::Arm& order,
                                                                      Executor post,
                                                                      CellEvents& events) {
  auto ready = ToCellOrder(order);
  if (!ready.ok()) return ready.status();
  return std::make_unique<Cell>(reactors_, *std::move(ready), std::move(post), events);
}

absl::StatusOr<std::unique_ptr<TaskControl>> DatabaseEngine::MakeTasks(
    const v1::OpenTasks& order, Executor post, TaskGroup::OpenedCallback on_opened,
    TaskGroup::DoneCallback on_done) {
  auto ready = ToTaskGroupOptions(order);
  if (!ready.ok()) return ready.status();
  return std::make_unique<TaskGroup>(reactors_, *std::move(ready), std::move(post),
                                     std::move(on_opened), std::move(on_done));
}

}  // namespace sysfleet
