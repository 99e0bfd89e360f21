#include "agent/engine/generator.h"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace sysfleet
