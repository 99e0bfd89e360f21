#include "coordinator/plan/formula.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/base/status.h"

namespace sysfleet {
namespace {

std::string Postfix(std::string_view text) {
  const auto formula = ParseFormula(text);
  if (!formula.ok()) return Message(formula.status());
  std::string postfix;
  for (const FormulaTerm& term : *formula) {
    if (!postfix.empty()) postfix += ' ';
    switch (term.kind) {
      case FormulaTerm::Kind::kConstant:
        postfix += fmt::format("{}", term.constant);
        break;
      case FormulaTerm::Kind::kName:
        postfix += term.name;
        break;
      case FormulaTerm::Kind::kOperator:
        postfix += term.symbol;
        break;
    }
  }
  return postfix;
}

TEST(ParseFormula, BindsAsOneIsUsedTo) {
  EXPECT_EQ(Postfix("a"), "a");
  EXPECT_EQ(Postfix("a + 2 * b"), "a 2 b * +");
  EXPECT_EQ(Postfix("(a+2)*b"), "a 2 + b *");
  EXPECT_EQ(Postfix("a - b - 1"), "a b - 1 -");
  EXPECT_EQ(Postfix("(id - 1) % 100 + 1"), "id 1 - 100 % 1 +");
  EXPECT_EQ(Postfix("10k / x"), "10000 x /");
}

TEST(ParseFormula, SaysWhatWasExpected) {
  EXPECT_EQ(Postfix(""), "expected a number or the name of a variable at its end");
  EXPECT_EQ(Postfix("a +"), "expected a number or the name of a variable at its end");
  EXPECT_EQ(Postfix("a b"), "expected an operator before 'b'");
  EXPECT_EQ(Postfix("(a"), "expected ')' at its end");
  EXPECT_EQ(Postfix("a + $"), "expected a number or the name of a variable before '$'");
  EXPECT_EQ(Postfix("1.5"), "expected an operator before '.5'");
  EXPECT_EQ(Postfix("2x"), "'2x' is no whole number");
  EXPECT_EQ(Postfix(std::string(100, '(')), "too many parentheses");
}

}  // namespace
}  // namespace sysfleet
