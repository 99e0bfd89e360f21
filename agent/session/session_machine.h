// What an agent may be asked in which state of its session: a table, apart from all that acts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sysfleet {

enum class SessionState : uint8_t {
  kAwaitingLease,
  kIdle,
  kTasksOpening,
  kTasksOpen,
  kTasksClosing,
  kArming,
  kArmed,
  kRunning,
  kStopping,
  kAborting,  // the lease has ended; so does what was begun
  kEnded,
};

enum class SessionInput : uint8_t {
  // From the coordinator.
  kLease,
  kOpenTasks,
  kTask,
  kCloseTasks,
  kArm,
  kStart,
  kEndWarmup,
  kStop,
  kLeaseEnd,
  // From the engine.
  kTasksOpened,
  kTasksClosed,
  kCellArmed,
  kCellDone,
};

enum class SessionAction : uint8_t {
  kNone,
  kAcceptLease,
  kOpenTasks,
  kReportTasksOpened,
  kSubmitTask,
  kCloseTasks,
  kReportTasksClosed,
  kArmCell,
  kReportArmed,
  kStartCell,
  kEndWarmup,
  kStopCell,
  kReportDone,
  kAbortTasks,
  kAbortCell,
  kEnd,
};

struct SessionStep {
  SessionState next;
  SessionAction action;
};

/// What follows; nothing where the coordinator breaks the protocol.
std::optional<SessionStep> StepSession(SessionState state, SessionInput input);

/// "idle", "running", …, for messages.
std::string_view ToString(SessionState state);

}  // namespace sysfleet
