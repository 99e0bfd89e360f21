// The course of one cell over all agents: what happened goes in, what to do comes out. Pure; the
// caller sends the orders and watches the clock.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace sysfleet {

enum class CellPhase : uint8_t {
  kArming,    // agents open connections and prepare statements
  kRunning,   // started, until every agent is done
  kStopping,  // told to stop before its time
  kEnded,     // nobody has anything left to do
};

enum class CellAction : uint8_t {
  kNone,
  kStart,  // all are armed: start them together
  kStop,   // tell every agent to stop
};

class CellMachine {
 public:
  explicit CellMachine(int agents);

  /// An agent is ready, or says why not.
  CellAction OnArmed(int agent, const absl::Status& status);
  /// An agent has ended the cell; an error tells why before its time.
  CellAction OnDone(int agent, const absl::Status& status);
  /// An agent's session is gone: the cell fails, because its load is missing.
  CellAction OnLost(int agent, const absl::Status& status);
  CellAction OnInterrupt();
  /// Something else makes the cell worthless.
  CellAction OnError(const absl::Status& status) { return Fail(status); }
  /// The phase took too long. While stopping, those who do not answer are given up.
  CellAction OnDeadline();

  CellPhase phase() const { return phase_; }
  /// The first thing that went wrong; CANCELLED for an interruption; OK for a cell that ran its
  /// course.
  const absl::Status& status() const { return status_; }
  /// Which agents have not ended: after kEnded, those that were given up.
  std::vector<int> unfinished() const;

 private:
  enum class Member : uint8_t { kArming, kArmed, kEnded };

  CellAction Fail(const absl::Status& status);
  CellAction EndedOr(CellAction action);
  bool All(Member member) const;

  std::vector<Member> members_;
  CellPhase phase_ = CellPhase::kArming;
  absl::Status status_;
};

}  // namespace sysfleet
