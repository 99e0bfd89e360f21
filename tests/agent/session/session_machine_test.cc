#include "agent/session/session_machine.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sysfleet {
namespace {

using State = SessionState;
using Input = SessionInput;
using Action = SessionAction;

struct Course {
  const char* name;
  std::vector<Input> inputs;
  std::vector<Action> actions;
  State end;
};

class SessionCourse : public testing::TestWithParam<Course> {};

TEST_P(SessionCourse, ActsAsTheTableSays) {
  State state = State::kAwaitingLease;
  std::vector<Action> actions;
  for (const Input input : GetParam().inputs) {
    const auto step = StepSession(state, input);
    ASSERT_TRUE(step.has_value()) << "after " << actions.size() << " steps, " << ToString(state);
    state = step->next;
    actions.push_back(step->action);
  }
  EXPECT_EQ(actions, GetParam().actions);
  EXPECT_EQ(state, GetParam().end);
}

INSTANTIATE_TEST_SUITE_P(
    All, SessionCourse,
    testing::Values(
        Course{"PrepareThenOneCell",
               {Input::kLease, Input::kOpenTasks, Input::kTasksOpened, Input::kTask, Input::kTask,
                Input::kCloseTasks, Input::kTasksClosed, Input::kArm, Input::kCellArmed,
                Input::kStart, Input::kCellDone, Input::kLeaseEnd},
               {Action::kAcceptLease, Action::kOpenTasks, Action::kReportTasksOpened,
                Action::kSubmitTask, Action::kSubmitTask, Action::kCloseTasks,
                Action::kReportTasksClosed, Action::kArmCell, Action::kReportArmed,
                Action::kStartCell, Action::kReportDone, Action::kEnd},
               State::kEnded},
        Course{"ACellThatCannotBeArmed",
               {Input::kLease, Input::kArm, Input::kCellArmed, Input::kCellDone, Input::kStop},
               {Action::kAcceptLease, Action::kArmCell, Action::kReportArmed, Action::kReportDone,
                Action::kNone},
               State::kIdle},
        Course{"StoppedWhileArming",
               {Input::kLease, Input::kArm, Input::kStop, Input::kCellArmed, Input::kCellDone},
               {Action::kAcceptLease, Action::kArmCell, Action::kStopCell, Action::kNone,
                Action::kReportDone},
               State::kIdle},
        Course{"StartCrossesStop",
               {Input::kLease, Input::kArm, Input::kCellArmed, Input::kStop, Input::kStart,
                Input::kCellDone},
               {Action::kAcceptLease, Action::kArmCell, Action::kReportArmed, Action::kStopCell,
                Action::kNone, Action::kReportDone},
               State::kIdle},
        Course{"CoordinatorLostWhileRunning",
               {Input::kLease, Input::kArm, Input::kCellArmed, Input::kStart, Input::kLeaseEnd,
                Input::kLeaseEnd, Input::kCellDone},
               {Action::kAcceptLease, Action::kArmCell, Action::kReportArmed, Action::kStartCell,
                Action::kAbortCell, Action::kNone, Action::kEnd},
               State::kEnded},
        Course{"CoordinatorLostWhileArming",
               {Input::kLease, Input::kArm, Input::kLeaseEnd, Input::kCellArmed, Input::kCellDone},
               {Action::kAcceptLease, Action::kArmCell, Action::kAbortCell, Action::kNone,
                Action::kEnd},
               State::kEnded},
        Course{"CoordinatorLostWhilePreparing",
               {Input::kLease, Input::kOpenTasks, Input::kTasksOpened, Input::kLeaseEnd,
                Input::kTasksClosed},
               {Action::kAcceptLease, Action::kOpenTasks, Action::kReportTasksOpened,
                Action::kAbortTasks, Action::kEnd},
               State::kEnded},
        Course{"CoordinatorLostBeforeItsLease", {Input::kLeaseEnd}, {Action::kEnd}, State::kEnded}),
    [](const testing::TestParamInfo<Course>& course) { return course.param.name; });

// What a coordinator may not ask in a state; it ends the session.
TEST(SessionMachine, RefusesWhatDoesNotFit) {
  const std::vector<std::pair<State, Input>> refused = {
      {State::kAwaitingLease, Input::kArm},   {State::kAwaitingLease, Input::kOpenTasks},
      {State::kIdle, Input::kLease},          {State::kIdle, Input::kTask},
      {State::kIdle, Input::kCloseTasks},     {State::kTasksOpen, Input::kArm},
      {State::kTasksOpen, Input::kOpenTasks}, {State::kArming, Input::kStart},
      {State::kArmed, Input::kArm},           {State::kRunning, Input::kArm},
      {State::kRunning, Input::kStart},       {State::kRunning, Input::kOpenTasks},
      {State::kStopping, Input::kArm},        {State::kAborting, Input::kLease},
  };
  for (const auto& [state, input] : refused) {
    EXPECT_FALSE(StepSession(state, input).has_value())
        << ToString(state) << ", input " << static_cast<int>(input);
  }
}

TEST(SessionMachine, EndsFromEveryStateOnceTheStreamIsLost) {
  for (int i = 0; i <= static_cast<int>(State::kEnded); ++i) {
    const auto step = StepSession(static_cast<State>(i), Input::kLeaseEnd);
    ASSERT_TRUE(step.has_value());
    EXPECT_TRUE(step->next == State::kAborting || step->next == State::kEnded)
        << ToString(static_cast<State>(i));
  }
}

}  // namespace
}  // namespace sysfleet
