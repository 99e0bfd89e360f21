// The engine of an agent: reactors with connections to databases.
#pragma once

#include <cstddef>

#include "agent/engine/reactor_pool.h"
#include "agent/session/engine.h"

namespace sysfleet {

class DatabaseEngine final : public Engine {
 public:
  DatabaseEngine(size_t reactors, ReactorPool::Pinning pinning) : reactors_(reactors, pinning) {}

  /// Errors as in orders.h.
  absl::StatusOr<std::unique_ptr<CellControl>> MakeCell(const v1::Arm& order, Executor post,
                                                        CellEvents& events) override;
  absl::StatusOr<std::unique_ptr<TaskControl>> MakeTasks(const v1::OpenTasks& order, Executor post,
                                                         TaskGroup::OpenedCallback on_opened,
                                                         TaskGroup::DoneCallback on_done) override;

 private:
  ReactorPool reactors_;
};

}  // namespace sysfleet
