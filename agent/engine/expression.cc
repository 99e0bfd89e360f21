#include "agent/engine/expression.h"

#include <fmt/format.h>

#include "absl/status/status.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {

absl::StatusOr<Expression::Code> Expression::OperatorOf(int number) {
  switch (number) {
    case v1::Expression::OPERATOR_ADD:
      return Code::kAdd;
    case v1::Expression::OPERATOR_SUBTRACT:
      return Code::kSubtract;
    case v1::Expression::OPERATOR_MULTIPLY:
      return Code::kMultiply;
    case v1::Expression::OPERATOR_DIVIDE:
      return Code::kDivide;
    case v1::Expression::OPERATOR_MODULO:
      return Code::kModulo;
    default:
      return absl::InvalidArgumentError(fmt::format("expression: unknown operator {}", number));
  }
}

absl::StatusOr<Expression> Expression::Compile(const v1::Expression& message, size_t variables) {
  Expression expression;
  size_t depth = 0;
  for (const v1::Expression::Term& term : message.terms()) {
    if (term.has_operator_()) {
      const absl::StatusOr<Code> code = OperatorOf(term.operator_());
      if (!code.ok()) return code.status();
      if (depth < 2) return absl::InvalidArgumentError("expression: an operator without operands");
      --depth;
      expression.terms_.push_back({*code, 0});
      continue;
    }
    if (term.has_variable()) {
      if (term.variable() >= variables) {
        return absl::InvalidArgumentError(
            fmt::format("expression: there is no variable {}", term.variable()));
      }
      expression.terms_.push_back({Code::kVariable, term.variable()});
    } else if (term.has_constant()) {
      expression.terms_.push_back({Code::kConstant, term.constant()});
    } else {
      return absl::InvalidArgumentError("expression: a term of an unknown kind");
    }
    if (++depth > kDepthMax) return absl::InvalidArgumentError("expression: nested too deeply");
  }
  if (depth != 1) {
    return absl::InvalidArgumentError(fmt::format("expression: leaves {} values, not one", depth));
  }
  return expression;
}

int64_t Expression::Apply(Code code, int64_t left, int64_t right) {
  const auto a = static_cast<uint64_t>(left);
  const auto b = static_cast<uint64_t>(right);
  switch (code) {
    case Code::kAdd:
      return static_cast<int64_t>(a + b);
    case Code::kSubtract:
      return static_cast<int64_t>(a - b);
    case Code::kMultiply:
      return static_cast<int64_t>(a * b);
    case Code::kDivide:
      // INT64_MIN / -1 does not fit; negated, it wraps around to itself.
      if (right == -1) return static_cast<int64_t>(0 - a);
      return right == 0 ? 0 : left / right;
    default:
      return right == 0 || right == -1 ? 0 : left % right;
  }
}

int64_t Expression::Evaluate(std::span<const Value> variables) const {
  std::array<int64_t, kDepthMax> stack;
  size_t depth = 0;
  for (const Term& term : terms_) {
    if (term.code == Code::kConstant) {
      stack[depth++] = term.operand;
    } else if (term.code == Code::kVariable) {
      stack[depth++] = variables[static_cast<size_t>(term.operand)].integer;
    } else {
      --depth;
      stack[depth - 1] = Apply(term.code, stack[depth - 1], stack[depth]);
    }
  }
  return stack[0];
}

std::vector<size_t> Expression::References() const {
  std::vector<size_t> references;
  for (const Term& term : terms_) {
    if (term.code == Code::kVariable) references.push_back(static_cast<size_t>(term.operand));
  }
  return references;
}

}  // namespace sysfleet
