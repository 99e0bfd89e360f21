// The way through one transaction of a program: draws values, repeats, and takes branches, up to
// the next thing that takes time. Not thread-safe; allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "agent/engine/generator.h"
#include "agent/engine/program.h"

namespace sysfleet {

class Pass {
 public:
  enum class Action : uint8_t { kExecute, kThink, kEnd };
  struct Step {
    Action action = Action::kEnd;
    uint32_t index = 0;  // of a statement, or of the variable that says how many microseconds
  };

  /// Both must outlive this object.
  Pass(const Program& program, Variables& variables) : program_(program), variables_(variables) {}

  /// Chooses a transaction, by weight, and stands at its beginning.
  void Choose();

  /// Back to the beginning of the same transaction, for another try.
  void Restart() { next_ = 0; }

  Step Next();

  /// The place of the chosen transaction.
  size_t kind() const { return kind_; }

 private:
  const Program& program_;
  Variables& variables_;
  size_t kind_ = 0;
  size_t next_ = 0;
  // How many rounds of each loop, by depth, are left.
  std::array<int64_t, Program::kRepeatDepthMax> rounds_left_{};
};

}  // namespace sysfleet
