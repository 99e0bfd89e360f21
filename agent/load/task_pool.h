// Connections that execute the tasks of preparing, each one task at a time, on one reactor.
//
// A task that is submitted waits until a connection is idle. A connection that is lost fails its
// task with UNAVAILABLE and is opened again, with growing pauses; only where all connections have
// been lost for longer than the connect timeout do the waiting tasks fail too.
//
// Everything is called on the reactor's thread, callbacks as well. No callback but Close's may
// destroy the pool.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "agent/database/connection.h"
#include "agent/database/factory.h"
#include "agent/engine/reactor.h"

namespace sysfleet {

namespace v1 {
class Task;
class TaskDone;
}  // namespace v1

class TaskPool {
 public:
  using OpenedCallback = std::function<void(const absl::Status&)>;
  using DoneCallback = std::function<void(const v1::TaskDone&)>;

  /// One connection for each of `connections`, at least one. Destroying the pool closes them at
  /// once, without a callback.
  TaskPool(Reactor& reactor, DriverFamily family, std::vector<ConnectionOptions> connections,
           std::chrono::milliseconds connect_timeout, OpenedCallback on_opened,
           DoneCallback on_done);
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  /// Opens all connections, then calls on_opened once: OK, or how the first failed. A connection
  /// that failed stays closed.
  void Open();

  /// Each task is answered by one call of on_done, unless the pool is closed before.
  void Submit(const v1::Task& task);

  /// Breaks off what is under way and closes all connections. Then `closed` is called, and nothing
  /// else any more.
  void Close(std::function<void()> closed);

 private:
  class Slot;

  void OnSlotOpened(const absl::Status& status);
  void OnReopenFailed(const absl::Status& failure);
  void OnSlotEnded();
  void TellClosed();
  void Answer(const v1::TaskDone& done);
  std::unique_ptr<v1::Task> TakeTask();
  void FailWaiting(const absl::Status& failure);

  Reactor& reactor_;
  const DriverFamily family_;
  const std::chrono::nanoseconds connect_timeout_;
  const OpenedCallback on_opened_;
  const DoneCallback on_done_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::deque<std::unique_ptr<v1::Task>> waiting_;
  size_t slots_opened_ = 0;  // well or not
  size_t slots_running_ = 0;
  size_t connected_ = 0;
  absl::Status open_status_;
  // Since when no connection works; of the reactor's clock.
  int64_t outage_since_ns_ = 0;
  std::function<void()> closed_;
  bool closing_ = false;
};

}  // namespace sysfleet
