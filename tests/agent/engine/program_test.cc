#include "agent/engine/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "common/base/status.h"
#include "tests/agent/engine/messages.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;

TEST(Program, PreparesEachTablesVariantAndFlattensRepeats) {
  const auto program = Program::Compile(SmallWorkload());
  ASSERT_TRUE(program.ok()) << program.status();
  const auto& prepared = (*program)->prepared();
  ASSERT_EQ(prepared.size(), 4U);
  EXPECT_EQ(prepared[0].sql, "BEGIN");
  EXPECT_EQ(prepared[1].sql, "SELECT c FROM t1 WHERE id=$1");
  EXPECT_EQ(prepared[2].sql, "SELECT c FROM t2 WHERE id=$1");
  EXPECT_EQ(prepared[3].sql, "COMMIT");
  std::string code;
  for (const Instruction& i : (*program)->transactions()[0].code) {
    code += (i.kind == Instruction::Kind::kDraw ? "d" : "x") + std::to_string(i.index) + " ";
  }
  EXPECT_EQ(code, "x0 d0 d1 x1 d1 x1 d1 x1 x2 ");
}

TEST(Program, ChoosesTheTableThatWasDrawn) {
  const auto program = Program::Compile(SmallWorkload());
  ASSERT_TRUE(program.ok());
  Variables variables((*program)->generators(), Random(1), UniqueIds(0, 0, 1));
  const ProgramStatement& select = (*program)->statements()[1];
  for (int i = 0; i < 20; ++i) {
    variables.Draw(0);
    EXPECT_EQ(select.first_prepared + Program::Variant(select, variables),
              static_cast<size_t>(variables[0].integer));
  }
}

TEST(Program, PicksByWeight) {
  v1::Workload workload = SmallWorkload();
  *workload.add_transactions() = workload.transactions(0);
  workload.mutable_transactions(1)->set_weight(3);
  const auto program = Program::Compile(workload);
  ASSERT_TRUE(program.ok());
  Random random(7);
  int second = 0;
  for (int i = 0; i < 4000; ++i) second += (*program)->Pick(random) == 1 ? 1 : 0;
  // 3000 expected; the standard deviation is 27.
  EXPECT_NEAR(second, 3000, 150);
}

struct Mistake {
  const char* name;
  std::function<void(v1::Workload&)> make;
  const char* message;
};

class ProgramMistake : public testing::TestWithParam<Mistake> {};

TEST_P(ProgramMistake, IsRefusedWithItsPlace) {
  v1::Workload workload = SmallWorkload();
  GetParam().make(workload);
  const auto program = Program::Compile(workload);
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(Message(program.status()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, ProgramMistake,
    testing::Values(
        Mistake{"NoTransaction", [](v1::Workload& w) { w.clear_transactions(); },
                "no transaction with a weight"},
        Mistake{"NoWeight", [](v1::Workload& w) { w.mutable_transactions(0)->set_weight(0); },
                "no transaction with a weight"},
        Mistake{"ExecutesNothing",
                [](v1::Workload& w) { w.mutable_transactions(0)->clear_steps(); },
                "transaction small: it executes nothing"},
        Mistake{"UnknownStatement",
                [](v1::Workload& w) { w.mutable_transactions(0)->add_steps()->set_execute(9); },
                "there is no statement 9"},
        Mistake{"UnknownVariable",
                [](v1::Workload& w) { w.mutable_transactions(0)->add_steps()->set_draw(9); },
                "there is no variable 9"},
        Mistake{"EmptyStep", [](v1::Workload& w) { w.mutable_transactions(0)->add_steps(); },
                "a step of an unknown kind"},
        Mistake{"UnknownParameter",
                [](v1::Workload& w) {
                  w.mutable_statements(1)->mutable_parameters(0)->set_variable(5);
                },
                "statement select: there is no variable 5"},
        Mistake{"WrongType",
                [](v1::Workload& w) {
                  w.mutable_statements(1)->mutable_parameters(0)->set_type(v1::COLUMN_TYPE_TEXT);
                },
                "variable id does not have the parameter's type"},
        Mistake{"NoType",
                [](v1::Workload& w) {
                  w.mutable_statements(1)->mutable_parameters(0)->set_type(
                      v1::COLUMN_TYPE_UNSPECIFIED);
                },
                "unknown type 0"},
        Mistake{"TableOutOfRange",
                [](v1::Workload& w) {
                  w.mutable_variables(0)->mutable_generator()->mutable_uniform()->set_max(3);
                },
                "its table variable is not always within 1 to 2"},
        Mistake{"TableNotDrawn",
                [](v1::Workload& w) { w.mutable_transactions(0)->mutable_steps(1)->set_draw(1); },
                "statement select is executed before its table is drawn"},
        Mistake{"MinimumAboveMaximum",
                [](v1::Workload& w) {
                  w.mutable_variables(1)->mutable_generator()->mutable_uniform()->set_min(101);
                },
                "variable id: uniform(101, 100)"},
        Mistake{"NoGenerator", [](v1::Workload& w) { w.mutable_variables(1)->clear_generator(); },
                "variable id: a variable without a known generator"},
        Mistake{"TooManySteps",
                [](v1::Workload& w) {
                  w.mutable_transactions(0)->mutable_steps(2)->mutable_repeat()->set_count(1 << 20);
                },
                "more than 100000 steps"},
        Mistake{"TooLikely",
                [](v1::Workload& w) {
                  w.mutable_transactions(0)->add_steps()->mutable_branch()->set_probability(1.5);
                },
                "a probability of 1.5"},
        Mistake{"DrawsWhatIsCaptured",
                [](v1::Workload& w) {
                  w.mutable_variables(1)->mutable_generator()->mutable_captured()->set_type(
                      v1::COLUMN_TYPE_INT64);
                },
                "variable id is taken from results, and not drawn"},
        Mistake{"CapturesIntoWhatIsDrawn",
                [](v1::Workload& w) { w.mutable_statements(0)->add_captures()->set_variable(1); },
                "statement begin: variable id is drawn, and takes no value of a result"},
        Mistake{"RowsWithoutEnd",
                [](v1::Workload& w) { w.mutable_statements(0)->mutable_rows()->set_row("(1)"); },
                "its rows have no end"},
        Mistake{"TextWithOtherPlaceholders",
                [](v1::Workload& w) { w.mutable_statements(1)->set_as_text(true); },
                "the statement has 0 placeholders, 1 parameters are given"},
        Mistake{"JoinsWithTooFewTables",
                [](v1::Workload& w) { w.mutable_statements(1)->add_other_tables(1); },
                "it names 1 tables to join with, there are 2 tables"},
        Mistake{"TableDrawnOnOneWayOnly",
                [](v1::Workload& w) {
                  v1::Transaction& transaction = *w.mutable_transactions(0);
                  transaction.clear_steps();
                  v1::Branch& branch = *transaction.add_steps()->mutable_branch();
                  branch.set_probability(0.5);
                  branch.add_then()->set_draw(0);
                  transaction.add_steps()->set_execute(1);
                },
                "statement select is executed before its table is drawn"},
        Mistake{"TooManyTables", [](v1::Workload& w) { w.set_tables(2'000'000'000); },
                "too many tables"}),
    [](const testing::TestParamInfo<Mistake>& mistake) { return mistake.param.name; });

TEST(Program, BoundsNestedRepeatsOfNothing) {
  v1::Workload workload = SmallWorkload();
  v1::Repeat* repeat = workload.mutable_transactions(0)->mutable_steps(2)->mutable_repeat();
  for (int depth = 0; depth < 20; ++depth) {
    repeat->set_count(1);
    repeat = repeat->add_steps()->mutable_repeat();
  }
  EXPECT_THAT(Message(Program::Compile(workload).status()), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace sysfleet
