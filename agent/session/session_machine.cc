#include "agent/session/session_machine.h"

#include <array>

namespace sysfleet {
namespace {

using State = SessionState;
using Input = SessionInput;
using Action = SessionAction;

struct Row {
  State state;
  Input input;
  State next;
  Action action;
};

constexpr std::array kRows = {
    Row{State::kAwaitingLease, Input::kLease, State::kIdle, Action::kAcceptLease},

    Row{State::kIdle, Input::kOpenTasks, State::kTasksOpening, Action::kOpenTasks},
    Row{State::kTasksOpening, Input::kTasksOpened, State::kTasksOpen, Action::kReportTasksOpened},
    // The coordinator may give up while connections are still being opened.
    Row{State::kTasksOpening, Input::kCloseTasks, State::kTasksClosing, Action::kCloseTasks},
    Row{State::kTasksClosing, Input::kTasksOpened, State::kTasksClosing, Action::kNone},
    Row{State::kTasksOpen, Input::kTask, State::kTasksOpen, Action::kSubmitTask},
    Row{State::kTasksOpen, Input::kCloseTasks, State::kTasksClosing, Action::kCloseTasks},
    Row{State::kTasksClosing, Input::kTasksClosed, State::kIdle, Action::kReportTasksClosed},

    Row{State::kIdle, Input::kArm, State::kArming, Action::kArmCell},
    Row{State::kArming, Input::kCellArmed, State::kArmed, Action::kReportArmed},
    Row{State::kArming, Input::kStop, State::kStopping, Action::kStopCell},
    Row{State::kArmed, Input::kStart, State::kRunning, Action::kStartCell},
    Row{State::kRunning, Input::kEndWarmup, State::kRunning, Action::kEndWarmup},
    Row{State::kArmed, Input::kStop, State::kStopping, Action::kStopCell},
    Row{State::kRunning, Input::kStop, State::kStopping, Action::kStopCell},
    // A second one asks for haste.
    Row{State::kStopping, Input::kStop, State::kStopping, Action::kStopCell},
    Row{State::kStopping, Input::kCellArmed, State::kStopping, Action::kNone},
    Row{State::kArming, Input::kCellDone, State::kIdle, Action::kReportDone},
    Row{State::kArmed, Input::kCellDone, State::kIdle, Action::kReportDone},
    Row{State::kRunning, Input::kCellDone, State::kIdle, Action::kReportDone},
    Row{State::kStopping, Input::kCellDone, State::kIdle, Action::kReportDone},
    // These cross the agent's own report of the end.
    Row{State::kIdle, Input::kStop, State::kIdle, Action::kNone},
    Row{State::kIdle, Input::kStart, State::kIdle, Action::kNone},
    Row{State::kIdle, Input::kEndWarmup, State::kIdle, Action::kNone},
    Row{State::kStopping, Input::kEndWarmup, State::kStopping, Action::kNone},
    Row{State::kStopping, Input::kStart, State::kStopping, Action::kNone},

    Row{State::kAwaitingLease, Input::kLeaseEnd, State::kEnded, Action::kEnd},
    Row{State::kIdle, Input::kLeaseEnd, State::kEnded, Action::kEnd},
    Row{State::kTasksOpening, Input::kLeaseEnd, State::kAborting, Action::kAbortTasks},
    Row{State::kTasksOpen, Input::kLeaseEnd, State::kAborting, Action::kAbortTasks},
    Row{State::kTasksClosing, Input::kLeaseEnd, State::kAborting, Action::kNone},
    Row{State::kArming, Input::kLeaseEnd, State::kAborting, Action::kAbortCell},
    Row{State::kArmed, Input::kLeaseEnd, State::kAborting, Action::kAbortCell},
    Row{State::kRunning, Input::kLeaseEnd, State::kAborting, Action::kAbortCell},
    Row{State::kStopping, Input::kLeaseEnd, State::kAborting, Action::kAbortCell},
    Row{State::kAborting, Input::kTasksOpened, State::kAborting, Action::kNone},
    Row{State::kAborting, Input::kTasksClosed, State::kEnded, Action::kEnd},
    Row{State::kAborting, Input::kCellArmed, State::kAborting, Action::kNone},
    Row{State::kAborting, Input::kCellDone, State::kEnded, Action::kEnd},
};

}  // namespace

std::optional<SessionStep> StepSession(SessionState state, SessionInput input) {
  for (const Row& row : kRows) {
    if (row.state == state && row.input == input) return SessionStep{row.next, row.action};
  }
  // A stream is lost once, but may be told twice.
  if (input == Input::kLeaseEnd) return SessionStep{state, Action::kNone};
  return std::nullopt;
}

std::string_view ToString(SessionState state) {
  switch (state) {
    case State::kAwaitingLease:
      return "awaiting a lease";
    case State::kIdle:
      return "idle";
    case State::kTasksOpening:
      return "opening connections to prepare";
    case State::kTasksOpen:
      return "preparing";
    case State::kTasksClosing:
      return "ending to prepare";
    case State::kArming:
      return "arming";
    case State::kArmed:
      return "armed";
    case State::kRunning:
      return "running";
    case State::kStopping:
      return "stopping";
    case State::kAborting:
      return "ending a lost run";
    case State::kEnded:
      return "ended";
  }
  return "unknown";
}

}  // namespace sysfleet
