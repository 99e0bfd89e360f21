#include "agent/engine/generator.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

Generator Compiled(const v1::Generator& message) {
  return *Generator::Compile(message, 8);
}

TEST(Variables, DrawUniformWithinBounds) {
  v1::Generator message;
  message.mutable_uniform()->set_min(5);
  message.mutable_uniform()->set_max(7);
  const std::vector<Generator> generators = {Compiled(message)};
  Variables variables(generators, Random(1), UniqueIds(0, 0, 1));
  std::set<int64_t> seen;
  for (int i = 0; i < 100; ++i) {
    variables.Draw(0);
    seen.insert(variables[0].integer);
  }
  EXPECT_EQ(seen, (std::set<int64_t>{5, 6, 7}));
}

TEST(Variables, OffsetFollowsItsVariable) {
  v1::Generator base;
  base.mutable_uniform()->set_min(1);
  base.mutable_uniform()->set_max(1'000'000);
  v1::Generator offset;
  offset.mutable_offset()->set_variable(0);
  offset.mutable_offset()->set_addend(99);
  const std::vector<Generator> generators = {Compiled(base), Compiled(offset)};
  Variables variables(generators, Random(1), UniqueIds(0, 0, 1));
  variables.Draw(0);
  variables.Draw(1);
  EXPECT_EQ(variables[1].integer, variables[0].integer + 99);
}

TEST(Variables, KeepTheirValueUntilTheyAreDrawnAgain) {
  v1::Generator message;
  message.mutable_pattern()->set_text("##-@");
  const std::vector<Generator> generators = {Compiled(message), Compiled(message)};
  Variables variables(generators, Random(1), UniqueIds(0, 0, 1));
  variables.Draw(0);
  const std::string first(variables[0].text);
  variables.Draw(1);
  EXPECT_EQ(variables[0].text, first);
  EXPECT_EQ(first.size(), 4U);
  EXPECT_EQ(first[2], '-');
}

TEST(Variables, UniqueIdsOfConnectionsNeverMeet) {
  v1::Generator message;
  message.mutable_unique_id();
  const std::vector<Generator> generators = {Compiled(message)};
  std::set<int64_t> seen;
  for (uint64_t connection = 0; connection < 3; ++connection) {
    Variables variables(generators, Random(connection), UniqueIds(77, connection, 3));
    for (int i = 0; i < 1000; ++i) {
      variables.Draw(0);
      EXPECT_LT(variables[0].integer, 0);
      EXPECT_TRUE(seen.insert(variables[0].integer).second);
    }
  }
}

TEST(Variables, RowNumberIsTheRowThatWasStarted) {
  v1::Generator message;
  message.mutable_row_number();
  const std::vector<Generator> generators = {Compiled(message)};
  Variables variables(generators, Random(1), UniqueIds(0, 0, 1));
  variables.StartRow(41, Random(9));
  variables.Draw(0);
  EXPECT_EQ(variables[0].integer, 41);
}

TEST(Generator, RefusesAnOffsetToNothingAndAHugePattern) {
  v1::Generator offset;
  offset.mutable_offset()->set_variable(8);
  EXPECT_FALSE(Generator::Compile(offset, 8).ok());
  v1::Generator pattern;
  pattern.mutable_pattern()->set_text(std::string((1 << 20) + 1, '#'));
  EXPECT_FALSE(Generator::Compile(pattern, 8).ok());
}

v1::Generator Parsed(const std::string& text) {
  v1::Generator message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

std::vector<Generator> AllCompiled(const std::vector<std::string>& texts) {
  std::vector<Generator> generators;
  for (const std::string& text : texts) generators.push_back(Compiled(Parsed(text)));
  return generators;
}

using Bounds = std::optional<std::pair<int64_t, int64_t>>;

TEST(Generator, KnowsItsKindBoundsAndTexts) {
  using Kind = Generator::Kind;
  const struct {
    std::string text;
    Kind kind;
    Bounds bounds;
    bool is_text = false;
    size_t text_bytes_max = 0;
  } cases[] = {
      {"uniform {min: -3 max: 7}", Kind::kUniform, {{-3, 7}}},
      {"pattern {text: '##-'}", Kind::kPattern, {}, true, 3},
      {"unique_id {}", Kind::kUniqueId, {}},
      {"offset {variable: 1 addend: 2}", Kind::kOffset, {}},
      {"row_number {}", Kind::kRowNumber, {}},
      {"gaussian {min: 1 max: 9 iterations: 12}", Kind::kGaussian, {{1, 9}}},
      {"special {min: 1 max: 9 iterations: 12 hot_width_percent: 1 hot_percent: 75}",
       Kind::kSpecial,
       {{1, 9}}},
      {"pareto {min: 1 max: 9 h: 0.2}", Kind::kPareto, {{1, 9}}},
      {"zipfian {min: 1 max: 9 exponent: 1}", Kind::kZipfian, {{1, 9}}},
      {"choice {items {integer: 5 weight: 1} items {integer: -2 weight: 3} "
       "items {integer: 99 weight: 0}}",
       Kind::kChoice,
       {{-2, 5}}},
      {"choice {items {text: 'ab' weight: 1} items {text: 'abcd' weight: 1}}",
       Kind::kChoice,
       {},
       true,
       4},
      {"expression {terms {constant: 1}}", Kind::kExpression, {}},
      {"slice {size: 100}", Kind::kSlice, {}},
      {"connection {modulus: 8}", Kind::kConnection, {{1, 8}}},
      {"counter {}", Kind::kCounter, {}},
      {"captured {type: COLUMN_TYPE_INT64}", Kind::kCaptured, {}},
      {"captured {type: COLUMN_TYPE_TEXT}", Kind::kCaptured, {}, true},
      {"random_text {length_min: 2 length_max: 6}", Kind::kRandomText, {}, true, 6},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Generator generator = Compiled(Parsed(c.text));
    EXPECT_EQ(generator.kind(), c.kind);
    EXPECT_EQ(generator.bounds(), c.bounds);
    EXPECT_EQ(generator.is_text(), c.is_text);
    EXPECT_EQ(generator.text_bytes_max(), c.text_bytes_max);
  }
}

TEST(Generator, RefusesWhatItCannotDraw) {
  const struct {
    std::string text;
    std::string message;
  } cases[] = {
      {"", "a variable without a known generator"},
      {"uniform {min: 2 max: 1}", "uniform(2, 1): the minimum is above the maximum"},
      {"gaussian {min: 2 max: 1 iterations: 1}", "the minimum is above the maximum"},
      {"gaussian {min: 1 max: 2}", "0 iterations: from 1 to 1000 are possible"},
      {"gaussian {min: -2 max: 9223372036854775807 iterations: 1}", "more than 2^63 integers"},
      {"special {min: 1 max: 2 iterations: 1 hot_percent: 101}", "more than 100 percent"},
      {"pareto {min: 1 max: 2 h: 0}", "h is 0, not between 0 and 1"},
      {"pareto {min: 1 max: 2 h: nan}", "h is nan"},
      {"zipfian {min: 1 max: 2 exponent: -0.5}", "the exponent is -0.5"},
      {"zipfian {min: 1 max: 2 exponent: inf}", "the exponent is inf"},
      {"choice {}", "no item with a weight above 0"},
      {"choice {items {integer: 1 weight: 0}}", "no item with a weight above 0"},
      {"choice {items {integer: 1 weight: 1} items {text: 'a' weight: 1}}",
       "integers and texts in one"},
      {"choice {items {weight: 1}}", "an item without a value"},
      {"expression {}", "leaves 0 values, not one"},
      {"expression {terms {constant: 1} terms {constant: 1}}", "leaves 2 values, not one"},
      {"expression {terms {constant: 1} terms {operator: OPERATOR_ADD}}",
       "an operator without operands"},
      {"expression {terms {variable: 8}}", "there is no variable 8"},
      {"expression {terms {constant: 1} terms {constant: 1} terms {operator: "
       "OPERATOR_UNSPECIFIED}}",
       "unknown operator 0"},
      {"slice {size: -1}", "the size -1 is below 0"},
      {"connection {}", "the modulus is 0"},
      {"captured {}", "of an unknown type"},
      {"random_text {length_min: 2 length_max: 1}", "the least length 2 is above the greatest 1"},
      {"random_text {length_max: 1048577}", "longer than 1 MiB"},
      {"random_text {length_max: 1 alphabet: '\\303\\244'}", "NUL or not ASCII"},
      {"unique_id {bits: 16}", "of 16 bits, not 32 or 64"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto generator = Generator::Compile(Parsed(c.text), 8);
    ASSERT_FALSE(generator.ok());
    EXPECT_THAT(std::string(generator.status().message()), testing::HasSubstr(c.message));
  }
}

TEST(Generator, RefusesToCalculateWithTexts) {
  const auto generators = AllCompiled(
      {"pattern {text: '#'}", "offset {variable: 2 addend: 1}", "uniform {min: 1 max: 2}"});
  EXPECT_TRUE(CheckReferences(generators).ok());
  EXPECT_FALSE(
      CheckReferences(AllCompiled({"pattern {text: '#'}", "expression {terms {variable: 0}}"}))
          .ok());
}

TEST(Expression, CalculatesWithWrapAround) {
  const struct {
    int64_t left;
    std::string operation;
    int64_t right;
    int64_t result;
  } cases[] = {
      {7, "ADD", -9, -2},
      {INT64_MAX, "ADD", 1, INT64_MIN},
      {5, "SUBTRACT", 7, -2},
      {INT64_MIN, "SUBTRACT", 1, INT64_MAX},
      {-3, "MULTIPLY", 5, -15},
      {INT64_MAX, "MULTIPLY", 2, -2},
      {-7, "DIVIDE", 2, -3},
      {7, "DIVIDE", 0, 0},
      {INT64_MIN, "DIVIDE", -1, INT64_MIN},
      {-7, "MODULO", 3, -1},
      {7, "MODULO", 0, 0},
      {INT64_MIN, "MODULO", -1, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(fmt::format("{} {} {}", c.left, c.operation, c.right));
    const auto generators = AllCompiled({fmt::format("uniform {{min: {0} max: {0}}}", c.left),
                                         fmt::format("expression {{terms {{variable: 0}} terms "
                                                     "{{constant: {}}} terms {{operator: "
                                                     "OPERATOR_{}}}}}",
                                                     c.right, c.operation)});
    Variables variables(generators, Random(1), UniqueIds(0, 0, 1));
    variables.Draw(0);
    variables.Draw(1);
    EXPECT_EQ(variables[1].integer, c.result);
  }
}

TEST(Expression, IsReadInPostfixOrder) {
  // (10 - 4) * 2
  const auto generators = AllCompiled(
      {"expression {terms {constant: 10} terms {constant: 4} terms {operator: OPERATOR_SUBTRACT} "
       "terms {constant: 2} terms {operator: OPERATOR_MULTIPLY}}"});
  Variables variables(generators, Random(1), UniqueIds(0, 0, 1));
  variables.Draw(0);
  EXPECT_EQ(variables[0].integer, 12);
}

TEST(Expression, RefusesToBeNestedTooDeeply) {
  std::string terms;
  for (int i = 0; i < 65; ++i) terms += "terms {constant: 1} ";
  for (int i = 0; i < 64; ++i) terms += "terms {operator: OPERATOR_ADD} ";
  const auto generator = Generator::Compile(Parsed("expression {" + terms + "}"), 8);
  EXPECT_EQ(std::string(generator.status().message()), "expression: nested too deeply");
}

TEST(Choice, FollowsItsWeights) {
  const auto generators =
      AllCompiled({"choice {items {text: 'often' weight: 3} items {text: 'never'} "
                   "items {text: 'seldom' weight: 1}}"});
  Variables variables(generators, Random(1), UniqueIds(0, 0, 1));
  std::map<std::string, int, std::less<>> seen;
  for (int i = 0; i < 4000; ++i) {
    variables.Draw(0);
    ++seen[std::string(variables[0].text)];
  }
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_NEAR(seen["often"], 3000, 150);
  EXPECT_NEAR(seen["seldom"], 1000, 150);
}

TEST(Slice, GivesEachConnectionItsPartAndItsNeighboursEnd) {
  const auto generators = AllCompiled({"slice {size: 10}"});
  const std::pair<int64_t, int64_t> parts[] = {{0, 3}, {3, 6}, {6, 10}};
  for (int64_t number = 0; number < 3; ++number) {
    Variables variables(generators, Random(1), UniqueIds(0, 0, 1), {number, 3});
    std::set<int64_t> seen;
    for (int i = 0; i < 1000; ++i) {
      variables.Draw(0);
      seen.insert(variables[0].integer);
    }
    EXPECT_EQ(*seen.begin(), parts[number].first);
    EXPECT_EQ(*seen.rbegin(), parts[number].second);
  }
}

TEST(Connection, IsTheNumberWithinTheModulus) {
  const auto generators = AllCompiled({"connection {modulus: 4}"});
  for (int64_t number = 0; number < 9; ++number) {
    Variables variables(generators, Random(1), UniqueIds(0, 0, 1), {number, 9});
    variables.Draw(0);
    EXPECT_EQ(variables[0].integer, 1 + number % 4);
  }
}

TEST(Counter, CountsEachVariableFromOne) {
  const auto generators = AllCompiled({"counter {}", "counter {}"});
  Variables variables(generators, Random(1), UniqueIds(0, 0, 1));
  for (int i = 0; i < 3; ++i) variables.Draw(0);
  variables.Draw(1);
  EXPECT_EQ(variables[0].integer, 3);
  EXPECT_EQ(variables[1].integer, 1);
}

TEST(Captured, KeepsWhatItWasSetTo) {
  const auto generators =
      AllCompiled({"captured {type: COLUMN_TYPE_INT32}", "captured {type: COLUMN_TYPE_TEXT}"});
  Variables original(generators, Random(1), UniqueIds(0, 0, 1));
  original.Set(0, 42);
  {
    const std::string text = "of somebody else";
    original.Set(1, text);
  }
  const Variables variables = std::move(original);
  EXPECT_EQ(variables[0].integer, 42);
  EXPECT_EQ(variables[1].text, "of somebody else");
}

TEST(Variables, EmptyTextsAreNotNull) {
  const auto generators =
      AllCompiled({"captured {type: COLUMN_TYPE_TEXT}", "choice {items {text: '' weight: 1}}",
                   "random_text {length_max: 0}", "pattern {text: ''}"});
  Variables variables(generators, Random(1), UniqueIds(0, 0, 1));
  for (const bool drawn : {false, true}) {
    for (size_t i = 0; i < generators.size(); ++i) {
      if (drawn) variables.Draw(i);
      EXPECT_NE(variables[i].text.data(), nullptr) << i;
      EXPECT_TRUE(variables[i].text.empty()) << i;
    }
  }
}

TEST(RandomText, HasTheLengthsAndCharactersAskedFor) {
  const auto generators = AllCompiled({"random_text {length_min: 1 length_max: 3 alphabet: 'xy'}"});
  Variables variables(generators, Random(1), UniqueIds(0, 0, 1));
  std::set<std::string, std::less<>> seen;
  for (int i = 0; i < 1000; ++i) {
    variables.Draw(0);
    seen.emplace(variables[0].text);
  }
  EXPECT_EQ(seen.size(), 14U);  // 2 + 4 + 8
}

TEST(UniqueId, Of64BitsIsWide) {
  const auto generators = AllCompiled({"unique_id {bits: 64}"});
  Variables variables(generators, Random(1), UniqueIds(5, 0, 1));
  int below = 0;
  for (int i = 0; i < 100; ++i) {
    variables.Draw(0);
    EXPECT_LT(variables[0].integer, 0);
    below += variables[0].integer < INT32_MIN;
  }
  EXPECT_GT(below, 90);
}

}  // namespace
}  // namespace sysfleet
