// Workloads and tables that a plan defines itself: what is read, and what is refused, where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/coordinator/plan/plan_text.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kHead = "database: {driver: postgresql, nodes: n}\n";

/// A plan with one workload `w`, whose variables and steps are these; in lines 3 and 4.
std::string Text(const std::string& variables, const std::string& steps) {
  return std::string(kHead) + "workloads:\n  w: {variables: {" + variables +
         "},\n    transactions: {t: {steps: [" + steps + "]}}}\nrun: {workloads: w}\n";
}

TEST(OwnWorkload, ReadsVariablesAndSteps) {
  const Plan plan = PlanOf(Text(
      "from: {uniform: [1, 10k]}, kind: {choice: [a, b], weights: [3, 1]}, twice: {expression: "
      "from * 2}, id: unique",
      "begin, {sql: 'SELECT a, b FROM t WHERE id = :from', into: [a, {b: text}]}, 'UPDATE t SET a "
      "= "
      ":a, b = :b, k = :kind WHERE id = :twice', {repeat: 3, steps: ['INSERT INTO t VALUES "
      "(:id)']}, {think: [1ms, 2s]}, {chance: 1%, then: [rollback], otherwise: [commit]}"));
  ASSERT_EQ(plan.workloads.size(), 1u);
  const OwnWorkload& own = *plan.workloads[0];
  ASSERT_EQ(own.variables.size(), 6u);
  EXPECT_EQ(own.variables[0].generator.max, 10'000);
  EXPECT_TRUE(own.variables[1].generator.is_text());
  EXPECT_EQ(own.variables[1].generator.choices[0].weight, 3);
  EXPECT_EQ(own.variables[5].name, "b");
  EXPECT_TRUE(own.variables[5].generator.is_text());
  ASSERT_EQ(own.statements.size(), 3u);
  EXPECT_EQ(own.statements[0].name, "select_t");
  EXPECT_THAT(own.statements[0].captures, ElementsAre("a", "b"));
  EXPECT_EQ(own.statements[1].sql, "UPDATE t SET a = ?, b = ?, k = ? WHERE id = ?");
  EXPECT_THAT(own.statements[1].arguments, ElementsAre("a", "b", "kind", "twice"));
  ASSERT_EQ(own.transactions[0].steps.size(), 6u);
  EXPECT_EQ(own.transactions[0].steps[3].times, 3);
  EXPECT_EQ(own.transactions[0].steps[4].think_us_max, 2'000'000);
  EXPECT_DOUBLE_EQ(own.transactions[0].steps[5].probability, 0.01);
  EXPECT_EQ(plan.run.workloads[0].own, plan.workloads[0]);
  // What is stored with a result is read again as the same.
  EXPECT_EQ(ToYaml(PlanOf(ToYaml(plan))), ToYaml(plan));
}

TEST(OwnWorkload, TakesTheStatementOfTheDriver) {
  const std::string text = Text("", "{postgresql: SELECT 1, mysql: SELECT 2}");
  EXPECT_EQ(PlanOf(text).workloads[0]->statements[0].sql, "SELECT 1");
}

TEST(OwnWorkload, RefusesWhatCannotBeMeant) {
  struct Case {
    std::string variables;
    std::string steps;
    std::string errors;
  };
  const Case cases[] = {
      {"id: {uniform: [1, 9]}", "'SELECT 1 WHERE 1 = :ids AND 2 = :id'",
       "plan.yaml:4:32: workloads.w.transactions.t.steps: there is no variable 'ids' up to here; "
       "did "
       "you mean 'id'?\n"},
      {"id: {uniform: [1, 9]}", "SELECT 1",
       "plan.yaml:3:19: workloads.w.variables: 'id' is not used\n"},
      {"", "begin, SELECT 1",
       "plan.yaml:4:39: workloads.w.transactions.t.steps: begin without commit or rollback\n"},
      {"", "SELECT 1, commit",
       "plan.yaml:4:42: workloads.w.transactions.t.steps: commit or rollback without begin\n"},
      {"", "begin, {chance: 5%, then: [rollback]}, commit",
       "plan.yaml:4:71: workloads.w.transactions.t.steps: one way ends the transaction, and the "
       "other does not\n"},
      {"", "{sql: SELECT a FROM t, into: [a, b]}, 'SELECT :a, :b'",
       "plan.yaml:4:65: workloads.w.transactions.t.steps.into: the result has 1 column, so there "
       "is "
       "none for 'b'\n"},
      {"", "\"SELECT '?'\"",
       "plan.yaml:4:32: workloads.w.transactions.t.steps: SQL with a '?'; name a variable instead, "
       "as in :id\n"},
      {"id: {uniform: [9, 1]}", "'SELECT :id'",
       "plan.yaml:3:33: workloads.w.variables.id.uniform: 9 is above 1\n"},
      {"id: {unifrom: [1, 9]}", "'SELECT :id'",
       "plan.yaml:3:23: workloads.w.variables.id: expected one of uniform, gaussian, special, "
       "pareto, zipfian, scrambled_zipfian, pattern, text, choice or expression\n"},
      {"a: {expression: b + 1}", "'SELECT :a'",
       "plan.yaml:3:22: workloads.w.variables.a: there is no variable 'b'\n"},
      {"", "{think: 5}",
       "plan.yaml:4:40: workloads.w.transactions.t.steps.think: expected a time such as 5ms, or "
       "[1ms, 5ms]\n"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(ErrorsOf(ParseText(Text(c.variables, c.steps))), c.errors)
        << c.variables << " " << c.steps;
  }
}

TEST(OwnTables, AreReadAndChecked) {
  const std::string tables =
      "tables:\n"
      "  t:\n"
      "    rows: 10k\n"
      "    columns:\n"
      "      id: {type: BIGINT, value: row}\n"
      "      half: {type: {postgresql: INT, mysql: INTEGER}, value: {expression: id / 2}}\n"
      "      name: {type: TEXT, value: {text: 20}}\n"
      "    primary_key: id\n"
      "    indexes: [half, [name, half]]\n";
  const Plan plan = PlanOf(std::string(kHead) + tables);
  ASSERT_EQ(plan.tables.size(), 1u);
  EXPECT_EQ(plan.tables[0].rows, 10'000);
  EXPECT_EQ(plan.tables[0].columns[1].type, "INT");
  EXPECT_THAT(plan.tables[0].indexes[1], ElementsAre("name", "half"));
  EXPECT_EQ(
      ErrorsOf(ParseText(std::string(kHead) + tables +
                         "dataset: {tables: 3}\nrun: {workloads: oltp_insert}\n")),
      "plan.yaml:11:19: dataset.tables: the plan has tables of its own, which stand in the "
      "place of a data set\n"
      "plan.yaml:12:18: run.workloads: oltp_insert: needs sysbench's tables, and the plan has "
      "tables of its own; give it a plan of its own\n");
  EXPECT_EQ(
      ErrorsOf(ParseText(std::string(kHead) + tables +
                         "workloads: {w: {transactions: {x: {steps: [SELECT id FROM T, SELECT "
                         "id FROM tt]}}}}\n")),
      "plan.yaml:11:62: workloads.w.transactions.x.steps: the plan has no table 'tt'; did you "
      "mean 't'?\n");
  EXPECT_EQ(ErrorsOf(ParseText(std::string(kHead) +
                               "tables: {t: {columns: {a: {type: INT, value: {expression: b}}}, "
                               "primary_key: c}}\n")),
            "plan.yaml:2:10: tables.t.rows: missing; how many rows to load\n"
            "plan.yaml:2:46: tables.t.columns.a.value: there is no column 'b' before this one\n"
            "plan.yaml:2:78: tables.t.primary_key: there is no column 'c'\n");
}

}  // namespace
}  // namespace sysfleet
