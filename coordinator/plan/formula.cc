#include "coordinator/plan/formula.h"

#include <fmt/format.h>

#include <cctype>

#include "common/base/status.h"
#include "coordinator/plan/values.h"

namespace sysfleet {
namespace {

constexpr int kDepthMax = 50;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Formula> Parse() {
    SYSFLEET_RETURN_IF_ERROR(Sum());
    if (Peek() != '\0') return Unexpected("an operator");
    return formula_;
  }

 private:
  absl::Status Sum() {
    SYSFLEET_RETURN_IF_ERROR(Product());
    while (Peek() == '+' || Peek() == '-') {
      const char symbol = text_[place_++];
      SYSFLEET_RETURN_IF_ERROR(Product());
      AddOperator(symbol);
    }
    return absl::OkStatus();
  }

  absl::Status Product() {
    SYSFLEET_RETURN_IF_ERROR(Operand());
    while (Peek() == '*' || Peek() == '/' || Peek() == '%') {
      const char symbol = text_[place_++];
      SYSFLEET_RETURN_IF_ERROR(Operand());
      AddOperator(symbol);
    }
    return absl::OkStatus();
  }

  absl::Status Operand() {
    const char c = Peek();
    if (c == '(') {
      if (++depth_ > kDepthMax) return absl::InvalidArgumentError("too many parentheses");
      ++place_;
      SYSFLEET_RETURN_IF_ERROR(Sum());
      if (Peek() != ')') return Unexpected("')'");
      ++place_;
      --depth_;
      return absl::OkStatus();
    }
    const size_t begin = place_;
    while (place_ < text_.size() && IsWordChar(text_[place_])) ++place_;
    const std::string_view word = text_.substr(begin, place_ - begin);
    if (word.empty()) return Unexpected("a number or the name of a variable");
    FormulaTerm term;
    if (std::isdigit(static_cast<unsigned char>(word[0])) == 0) {
      term.kind = FormulaTerm::Kind::kName;
      term.name = word;
    } else if (const auto number = ParseInteger(word)) {
      term.constant = *number;
    } else {
      return absl::InvalidArgumentError(fmt::format("'{}' is no whole number", word));
    }
    formula_.push_back(std::move(term));
    return absl::OkStatus();
  }

  void AddOperator(char symbol) {
    formula_.push_back({.kind = FormulaTerm::Kind::kOperator, .symbol = symbol});
  }

  static bool IsWordChar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  char Peek() {
    while (place_ < text_.size() && text_[place_] == ' ') ++place_;
    return place_ < text_.size() ? text_[place_] : '\0';
  }

  absl::Status Unexpected(std::string_view expected) {
    return absl::InvalidArgumentError(
        Peek() == '\0' ? fmt::format("expected {} at its end", expected)
                       : fmt::format("expected {} before '{}'", expected, text_.substr(place_)));
  }

  const std::string_view text_;
  size_t place_ = 0;
  int depth_ = 0;
  Formula formula_;
};

}  // namespace

absl::StatusOr<Formula> ParseFormula(std::string_view text) {
  return Parser(text).Parse();
}

}  // namespace sysfleet
