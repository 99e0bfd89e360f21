#include "coordinator/run/cell_machine.h"

#include <algorithm>

namespace sysfleet {

CellMachine::CellMachine(int agents) : members_(static_cast<size_t>(agents), Member::kArming) {}

CellAction CellMachine::OnArmed(int agent, const absl::Status& status) {
  if (!status.ok()) return Fail(status);
  members_[static_cast<size_t>(agent)] = Member::kArmed;
  if (phase_ != CellPhase::kArming || !All(Member::kArmed)) return CellAction::kNone;
  phase_ = CellPhase::kRunning;
  return CellAction::kStart;
}

CellAction CellMachine::OnDone(int agent, const absl::Status& status) {
  members_[static_cast<size_t>(agent)] = Member::kEnded;
  const CellAction action = status.ok() ? CellAction::kNone : Fail(status);
  return EndedOr(action);
}

CellAction CellMachine::OnLost(int agent, const absl::Status& status) {
  members_[static_cast<size_t>(agent)] = Member::kEnded;
  return EndedOr(Fail(status));
}

CellAction CellMachine::OnInterrupt() {
  return Fail(absl::CancelledError("interrupted"));
}

CellAction CellMachine::OnDeadline() {
  if (phase_ == CellPhase::kStopping) {
    phase_ = CellPhase::kEnded;
    return CellAction::kNone;
  }
  return Fail(absl::DeadlineExceededError(phase_ == CellPhase::kArming
                                              ? "not all agents were armed in time"
                                              : "not all agents ended the cell in time"));
}

std::vector<int> CellMachine::unfinished() const {
  std::vector<int> agents;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (members_[i] != Member::kEnded) agents.push_back(static_cast<int>(i));
  }
  return agents;
}

CellAction CellMachine::Fail(const absl::Status& status) {
  // What an agent says about being stopped is not why it was stopped.
  if (status_.ok()) status_ = status;
  if (phase_ == CellPhase::kStopping || phase_ == CellPhase::kEnded) return CellAction::kNone;
  phase_ = CellPhase::kStopping;
  return CellAction::kStop;
}

// Where nobody is left, there is nobody to tell either.
CellAction CellMachine::EndedOr(CellAction action) {
  if (!All(Member::kEnded)) return action;
  phase_ = CellPhase::kEnded;
  return CellAction::kNone;
}

bool CellMachine::All(Member member) const {
  return std::all_of(members_.begin(), members_.end(), [=](Member m) { return m == member; });
}

}  // namespace sysfleet
