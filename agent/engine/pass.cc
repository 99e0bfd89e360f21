#include "agent/engine/pass.h"

namespace sysfleet {

void Pass::Choose() {
  kind_ = program_.Pick(variables_.random());
  next_ = 0;
}

Pass::Step Pass::Next() {
  using Kind = Instruction::Kind;
  const std::vector<Instruction>& code = program_.transactions()[kind_].code;
  while (next_ < code.size()) {
    const Instruction instruction = code[next_++];
    switch (instruction.kind) {
      case Kind::kDraw:
        variables_.Draw(instruction.index);
        break;
      case Kind::kExecute:
        return {Action::kExecute, instruction.index};
      case Kind::kThink:
        return {Action::kThink, instruction.index};
      case Kind::kJump:
        next_ = instruction.target;
        break;
      case Kind::kBranch:
        if (variables_.random().Double() >= program_.probability(instruction.index)) {
          next_ = instruction.target;
        }
        break;
      case Kind::kBeginLoop:
        rounds_left_[instruction.depth] = variables_[instruction.index].integer;
        if (rounds_left_[instruction.depth] <= 0) next_ = instruction.target;
        break;
      case Kind::kEndLoop:
        if (--rounds_left_[instruction.depth] > 0) next_ = instruction.target;
        break;
    }
  }
  return {};
}

}  // namespace sysfleet
