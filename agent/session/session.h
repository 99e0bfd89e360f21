// One coordinator's lease of this agent, from its first message to the end of the last thing that
// it began. All calls come from the session's queue.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "agent/engine/cell.h"
#include "agent/load/task_group.h"
#include "agent/session/engine.h"
#include "agent/session/session_machine.h"
#include "agent/session/usage.h"
#include "common/base/serial_queue.h"

namespace sysfleet {

namespace v1 {
class Arm;
class AgentMessage;
class CoordinatorMessage;
class OpenTasks;
class Task;
}  // namespace v1

/// The way to the coordinator.
class SessionLink {
 public:
  virtual ~SessionLink() = default;
  /// Arrives once, in order, as long as the lease lasts.
  virtual void Send(v1::AgentMessage message) = 0;
  /// Tells the coordinator why the session is ending; OK where all is done.
  virtual void Finish(const absl::Status& status) = 0;
};

class Session final : private CellEvents {
 public:
  /// `ended` is called once, last: nothing of the session runs any more, and it may be destroyed.
  Session(Engine& engine, SerialQueue& queue, std::shared_ptr<SessionLink> link,
          std::function<void()> ended);
  ~Session() override;

  /// The first one is the lease.
  void OnMessage(const v1::CoordinatorMessage& message);
  /// The lease is over or given back: ends what was begun.
  void End();

  const std::string& run_id() const { return run_id_; }
  uint64_t epoch() const { return epoch_; }

  /// "busy with run nightly (coordinator on c1) since 2026-11-30T19:02:14Z".
  std::string Busy() const;

 private:
  void OnCellArmed(const absl::Status& status) override;
  void OnCellStarted(int64_t began_ns) override;
  void OnCellWindow(const Window& window) override;
  void OnCellDone(const CellEnd& end) override;

  void Step(SessionInput input, const v1::CoordinatorMessage* message);
  void Act(SessionAction action, const v1::CoordinatorMessage* message);
  void AcceptLease(const v1::CoordinatorMessage& message);
  void OpenTasks(const v1::OpenTasks& order);
  void Arm(const v1::Arm& arm);
  void ReportArmed();
  void ReportTasksOpened();
  void ReportDone();
  void CloseTasks();
  void Send(v1::AgentMessage message);
  void Refuse(const std::string& why);

  Engine& engine_;
  SerialQueue& queue_;
  std::shared_ptr<SessionLink> link_;
  std::function<void()> ended_;
  SessionState state_ = SessionState::kAwaitingLease;
  std::chrono::system_clock::time_point since_ = std::chrono::system_clock::now();
  std::string run_id_;
  std::string run_name_;
  std::string coordinator_host_;
  uint64_t epoch_ = 0;
  std::unique_ptr<TaskControl> tasks_;
  std::unique_ptr<CellControl> cell_;
  uint32_t cell_number_ = 0;
  uint64_t snapshots_ = 0;
  UsageMeter usage_;
  // What the engine said last, for the report that follows.
  absl::Status engine_status_;
  CellEnd cell_end_;
};

}  // namespace sysfleet
