// Preparing over the fleet: hands a preparer's tasks to the agents' connections and the results
// back. Belongs to the run's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/plan/plan.h"
#include "coordinator/prepare/preparer.h"
#include "coordinator/schedule/schedule.h"

namespace sysfleet {

class TaskSession {
 public:
  /// An agent whose share has no connection takes no part.
  TaskSession(Fleet& fleet, const Plan& plan, std::vector<AgentShare> shares);

  /// Opens all connections to the database. Errors name agent and node.
  absl::Status Open();

  /// Executes the preparer's tasks until it is finished; `tick` is called some ten times a second.
  /// CANCELLED where interrupted.
  absl::Status Run(Preparer& preparer, const std::function<void()>& tick);

  /// Executes statements in order on one connection of the first agent that takes part.
  absl::Status RunScript(const std::vector<std::string>& sql);

  /// The same with one query: the first value of its first row; empty where there is none.
  absl::StatusOr<std::string> Ask(const std::string& sql);

  absl::Status Close();

 private:
  struct Member {
    AgentShare share;
    bool open = false;
    int in_flight = 0;
  };

  /// Waits for the next message of any agent; an agent lost, an interrupt and the
  /// deadline are errors. nullopt at `until`.
  absl::StatusOr<std::optional<FleetEvent>> Next(Fleet::TimePoint until);
  void Dispatch(Preparer& preparer);
  /// The answer to a script on one connection.
  absl::StatusOr<std::shared_ptr<const v1::AgentMessage>> Execute(
      const std::vector<std::string>& sql);
  Member* FreestMember();
  int IndexOf(const Member& member) const;

  Fleet& fleet_;
  const Plan& plan_;
  std::vector<Member> members_;
};

}  // namespace sysfleet
