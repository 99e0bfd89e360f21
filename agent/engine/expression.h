// Arithmetic on the present values of variables. Immutable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/database/value.h"

namespace sysfleet {

namespace v1 {
class Expression;
}

class Expression {
 public:
  /// Of constants and variables that wait for their operator.
  static constexpr size_t kDepthMax = 64;

  /// INVALID_ARGUMENT for what is no postfix expression, waits for more than kDepthMax values, or
  /// names a variable that is not below `variables`.
  static absl::StatusOr<Expression> Compile(const v1::Expression& message, size_t variables);

  /// Wraps around at 64 bits; division and remainder cut towards 0, and are 0 where the divisor is.
  int64_t Evaluate(std::span<const Value> variables) const;

  /// The variables that it reads, each as often as it does.
  std::vector<size_t> References() const;

 private:
  enum class Code : uint8_t { kConstant, kVariable, kAdd, kSubtract, kMultiply, kDivide, kModulo };
  struct Term {
    Code code;
    int64_t operand;  // the constant or the variable
  };

  static absl::StatusOr<Code> OperatorOf(int number);
  static int64_t Apply(Code code, int64_t left, int64_t right);

  std::vector<Term> terms_;
};

}  // namespace sysfleet
