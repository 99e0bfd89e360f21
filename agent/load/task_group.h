// The connections of preparing, spread over all reactors of the agent.
//
// Called and told on one thread: the owner's, which `post` reaches from any other.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "agent/database/connection.h"
#include "agent/database/factory.h"
#include "agent/engine/reactor_pool.h"

namespace sysfleet {

namespace v1 {
class Task;
class TaskDone;
}  // namespace v1

class TaskPool;

struct TaskGroupOptions {
  DriverFamily family = DriverFamily::kPostgresql;
  /// One for each connection.
  std::vector<ConnectionOptions> connections;
  std::chrono::milliseconds connect_timeout{30'000};
};

/// What the owner of such connections asks of them.
class TaskControl {
 public:
  virtual ~TaskControl() = default;
  virtual void Open() = 0;
  virtual void Submit(const v1::Task& task) = 0;
  /// Breaks off what is under way; `closed` is the last call.
  virtual void Close(std::function<void()> closed) = 0;
};

class TaskGroup final : public TaskControl {
 public:
  using Executor = std::function<void(std::function<void()>)>;
  using OpenedCallback = std::function<void(const absl::Status&)>;
  using DoneCallback = std::function<void(const v1::TaskDone&)>;

  TaskGroup(ReactorPool& reactors, TaskGroupOptions options, Executor post,
            OpenedCallback on_opened, DoneCallback on_done);
  /// Only before Open or after Close has called back.
  ~TaskGroup() override;
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Calls on_opened once: OK when all are open, or how the first failed.
  void Open() override;
  /// Answered by on_done, unless the group is closed before.
  void Submit(const v1::Task& task) override;
  void Close(std::function<void()> closed) override;

 private:
  struct Member {
    Reactor* reactor = nullptr;
    std::shared_ptr<TaskPool> pool;
    int connections = 0;
    int in_flight = 0;
  };

  void OnOpened(const absl::Status& status);
  void OnDone(size_t member, const v1::TaskDone& done);
  void OnClosed();

  const Executor post_;
  const OpenedCallback on_opened_;
  const DoneCallback on_done_;
  std::vector<Member> members_;
  size_t opened_ = 0;
  size_t closed_count_ = 0;
  absl::Status open_status_;
  std::function<void()> closed_;
};

}  // namespace sysfleet
