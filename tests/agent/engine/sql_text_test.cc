#include "agent/engine/sql_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/engine/capture.h"
#include "agent/engine/pass.h"
#include "agent/engine/statement_sender.h"
#include "common/base/status.h"
#include "tests/agent/engine/messages.h"

namespace sysfleet {
namespace {

using testing::ElementsAre;

// Variables that are only set: 0 is an integer, 1 is a text.
class SqlTextTest : public testing::Test {
 protected:
  SqlTextTest() {
    v1::Generator generator;
    generator.mutable_captured()->set_type(v1::COLUMN_TYPE_INT64);
    generators_.push_back(*Generator::Compile(generator, 2));
    generator.mutable_captured()->set_type(v1::COLUMN_TYPE_TEXT);
    generators_.push_back(*Generator::Compile(generator, 2));
  }

  std::string Text(std::string_view sql, Quoting quoting, int64_t integer, std::string_view text) {
    Variables variables(generators_, Random(1), UniqueIds(0, 0, 1));
    variables.Set(0, integer);
    variables.Set(1, text);
    const uint32_t table = 0;
    const auto compiled = SqlText::Compile(sql, {{0, false}, {1, true}}, &table, quoting);
    EXPECT_TRUE(compiled.ok()) << compiled.status();
    std::string out;
    if (compiled.ok()) compiled->Append(variables, out);
    return out;
  }

  std::vector<Generator> generators_;
};

TEST_F(SqlTextTest, PutsLiteralsInThePlacesOfValues) {
  EXPECT_EQ(Text("UPDATE t{table} SET k=?, c=? WHERE x", Quoting::kStandard, -7, "a'b\\"),
            "UPDATE t-7 SET k=-7, c='a''b\\' WHERE x");
  EXPECT_EQ(Text("? ?", Quoting::kBackslash, 7, "a'b\\"), "7 'a''b\\\\'");
}

TEST_F(SqlTextTest, LeavesQuotesAndCommentsAlone) {
  EXPECT_EQ(Text("'it''s ?' \"?\" `?` /* ? */ -- ?\n? ?", Quoting::kStandard, 1, "x"),
            "'it''s ?' \"?\" `?` /* ? */ -- ?\n1 'x'");
}

TEST_F(SqlTextTest, RefusesAnotherNumberOfPlaces) {
  EXPECT_EQ(Message(SqlText::Compile("? ? ?", {{0, false}}, nullptr, Quoting::kStandard).status()),
            "the statement has 3 placeholders, 1 parameters are given");
}

TEST_F(SqlTextTest, CapturesTheFirstRow) {
  Variables variables(generators_, Random(1), UniqueIds(0, 0, 1));
  const std::vector<ProgramCapture> captures = {{1, 0}, {0, 1}};
  const auto capture = [&](const std::vector<ResultRow>& rows) {
    return CaptureRow(captures, rows, generators_, variables);
  };
  EXPECT_TRUE(capture({{"text", "42"}, {"more", "43"}}).ok());
  EXPECT_EQ(variables[0].integer, 42);
  EXPECT_EQ(variables[1].text, "text");
  EXPECT_TRUE(capture({{std::nullopt, std::nullopt}}).ok());
  EXPECT_EQ(variables[0].integer, 0);
  EXPECT_EQ(variables[1].text, "");
  EXPECT_TRUE(absl::IsNotFound(capture({})));
  EXPECT_EQ(Message(capture({{"text", "4.2"}})), "column 2 of the result is no integer: '4.2'");
  EXPECT_EQ(Message(capture({{"text"}})), "the result has no column 2, but 1");
}

// One statement of rows that are numbered 1, 2, 3 …
v1::Workload Rows(uint32_t count, uint32_t bytes_max) {
  v1::Workload workload;
  v1::Variable& number = *workload.add_variables();
  number.mutable_generator()->mutable_counter();
  const uint32_t insert = AddStatement(workload, "insert", "INSERT INTO t VALUES");
  v1::Rows& rows = *workload.mutable_statements(0)->mutable_rows();
  rows.set_row("(?)");
  rows.add_parameters()->set_type(v1::COLUMN_TYPE_INT64);
  rows.add_draws(0);
  rows.set_count(count);
  rows.set_bytes_max(bytes_max);
  v1::Transaction& transaction = *workload.add_transactions();
  transaction.set_weight(1);
  transaction.add_steps()->set_execute(insert);
  return workload;
}

// How many rows each INSERT has: `executions` of the statement.
std::vector<int64_t> RowsOfInserts(const v1::Workload& workload, int executions,
                                   int64_t events_left) {
  const auto program = *Program::Compile(workload);
  Variables variables(program->generators(), Random(1), UniqueIds(0, 0, 1));
  StatementSender sender(*program, variables);
  std::vector<int64_t> rows;
  for (int i = 0; i < executions; ++i) {
    sender.Begin(program->statements()[0], events_left);
    do {
      sender.Write();
      rows.push_back(sender.rows_written());
    } while (sender.has_more());
  }
  rows.push_back(variables[0].integer);
  return rows;
}

TEST(StatementSender, SplitsTheRowsOfAnExecution) {
  // 20 bytes before the rows, then 3 for the first row and 4 for each more.
  EXPECT_THAT(RowsOfInserts(Rows(8, 32), 1, 100), ElementsAre(3, 3, 2, 8));
  EXPECT_THAT(RowsOfInserts(Rows(3, 0), 2, 100), ElementsAre(3, 3, 6));
}

TEST(StatementSender, LeavesTheRowThatDidNotFitToTheNextBulkInsert) {
  // The fourth row was drawn, and comes first the next time.
  EXPECT_THAT(RowsOfInserts(Rows(0, 32), 2, 100), ElementsAre(3, 3, 7));
  EXPECT_THAT(RowsOfInserts(Rows(0, 32), 1, 2), ElementsAre(2, 2));
}

// What a pass executes, by names.
std::string Course(const v1::Workload& workload) {
  const auto program = Program::Compile(workload);
  if (!program.ok()) return Message(program.status());
  Variables variables((*program)->generators(), Random(1), UniqueIds(0, 0, 1));
  Pass pass(**program, variables);
  pass.Choose();
  std::string names;
  for (Pass::Step step = pass.Next(); step.action != Pass::Action::kEnd; step = pass.Next()) {
    names += step.action == Pass::Action::kThink ? "think "
                                                 : (*program)->statements()[step.index].name + " ";
  }
  return names;
}

v1::Workload Empty() {
  v1::Workload workload;
  AddStatement(workload, "a", "A");
  AddStatement(workload, "b", "B");
  AddUniform(workload, "three", 3, 3);
  AddUniform(workload, "none", 0, 0);
  v1::Transaction& transaction = *workload.add_transactions();
  transaction.set_weight(1);
  transaction.add_steps()->set_draw(0);
  return workload;
}

TEST(Pass, RepeatsAsOftenAsAVariableSays) {
  v1::Workload workload = Empty();
  v1::Transaction& transaction = *workload.mutable_transactions(0);
  v1::Repeat& outer = *transaction.add_steps()->mutable_repeat();
  outer.set_count_variable(0);
  outer.add_steps()->set_execute(0);
  v1::Repeat& inner = *outer.add_steps()->mutable_repeat();
  inner.set_count(2);
  inner.add_steps()->set_execute(1);
  v1::Repeat& never = *transaction.add_steps()->mutable_repeat();
  never.set_count_variable(1);
  never.add_steps()->set_execute(1);
  transaction.add_steps()->set_think_us(0);
  EXPECT_EQ(Course(workload), "a b b a b b a b b think ");
}

TEST(Pass, TakesOneOfTwoWays) {
  for (const double probability : {0.0, 1.0}) {
    v1::Workload workload = Empty();
    v1::Transaction& transaction = *workload.mutable_transactions(0);
    v1::Branch& branch = *transaction.add_steps()->mutable_branch();
    branch.set_probability(probability);
    branch.add_then()->set_execute(0);
    branch.add_otherwise()->set_execute(1);
    transaction.add_steps()->set_execute(1);
    EXPECT_EQ(Course(workload), probability == 1.0 ? "a b " : "b b ");
  }
}

}  // namespace
}  // namespace sysfleet
