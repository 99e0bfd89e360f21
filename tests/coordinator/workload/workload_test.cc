#include "coordinator/workload/workload.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "coordinator/plan/known_workloads.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

DatasetPlan Dataset() {
  DatasetPlan dataset;
  dataset.tables = 32;
  dataset.table_size = 1000;
  return dataset;
}

WorkloadPlan Use(const std::string& name, WorkloadOptions options = {}) {
  return {.use = name, .label = name, .options = options};
}

v1::Workload Compiled(const WorkloadPlan& plan, Driver driver = Driver::kMysql,
                      const DatasetPlan& dataset = Dataset()) {
  absl::StatusOr<v1::Workload> workload = CompileWorkload(plan, dataset, driver);
  EXPECT_TRUE(workload.ok()) << workload.status();
  return workload.ok() ? *std::move(workload) : v1::Workload();
}

// A transaction in short: "table id point_select" are two draws and a statement; "10(…)" repeats.
std::string Outline(const v1::Workload& workload,
                    const google::protobuf::RepeatedPtrField<v1::Step>& steps) {
  std::string text;
  for (const v1::Step& step : steps) {
    if (!text.empty()) text += ' ';
    if (step.has_draw()) text += workload.variables(static_cast<int>(step.draw())).name();
    if (step.has_execute()) {
      text += '<' + workload.statements(static_cast<int>(step.execute())).name() + '>';
    }
    if (step.has_repeat()) {
      text += std::to_string(step.repeat().count()) + '(' +
              Outline(workload, step.repeat().steps()) + ')';
    }
  }
  return text;
}

std::string Outline(const v1::Workload& workload) {
  return Outline(workload, workload.transactions(0).steps());
}

// "UPDATE … [c text, id int32]"
std::vector<std::string> StatementsOf(const v1::Workload& workload) {
  std::vector<std::string> texts;
  for (const v1::Statement& statement : workload.statements()) {
    std::string text = statement.sql();
    for (const v1::Parameter& parameter : statement.parameters()) {
      text += ' ' + workload.variables(static_cast<int>(parameter.variable())).name();
      text += parameter.type() == v1::COLUMN_TYPE_INT32  ? ":int32"
              : parameter.type() == v1::COLUMN_TYPE_TEXT ? ":text"
                                                         : ":?";
    }
    texts.push_back(text);
  }
  return texts;
}

const v1::Generator& GeneratorOf(const v1::Workload& workload, const std::string& name) {
  for (const v1::Variable& variable : workload.variables()) {
    if (variable.name() == name) return variable.generator();
  }
  ADD_FAILURE() << "no variable " << name;
  return v1::Generator::default_instance();
}

TEST(ReadWriteTest, IsSysbenchsSequence) {
  const v1::Workload workload = Compiled(Use("oltp_read_write"));

  EXPECT_EQ(Outline(workload),
            "<begin> table 10(id <point_select>) table id id_end <simple_range> "
            "table id id_end <sum_range> table id id_end <order_range> "
            "table id id_end <distinct_range> table id <index_update> "
            "table c id <non_index_update> table id <delete> k c pad <insert> <commit>");
  EXPECT_THAT(
      StatementsOf(workload),
      ElementsAre(
          "BEGIN", "SELECT c FROM sbtest{table} WHERE id=? id:int32",
          "SELECT c FROM sbtest{table} WHERE id BETWEEN ? AND ? id:int32 id_end:int32",
          "SELECT SUM(k) FROM sbtest{table} WHERE id BETWEEN ? AND ? id:int32 id_end:int32",
          "SELECT c FROM sbtest{table} WHERE id BETWEEN ? AND ? ORDER BY c id:int32 id_end:int32",
          "SELECT DISTINCT c FROM sbtest{table} WHERE id BETWEEN ? AND ? ORDER BY c id:int32 "
          "id_end:int32",
          "UPDATE sbtest{table} SET k=k+1 WHERE id=? id:int32",
          "UPDATE sbtest{table} SET c=? WHERE id=? c:text id:int32",
          "DELETE FROM sbtest{table} WHERE id=? id:int32",
          "INSERT INTO sbtest{table} (id, k, c, pad) VALUES (?, ?, ?, ?) id:int32 k:int32 c:text "
          "pad:text",
          "COMMIT"));
  EXPECT_EQ(workload.tables(), 32u);
  EXPECT_EQ(StatementsPerTransaction(workload), 20);
}

TEST(ReadWriteTest, DrawsFromTheDataset) {
  const v1::Workload workload = Compiled(Use("oltp_read_write"));

  EXPECT_EQ(GeneratorOf(workload, "table").uniform().min(), 1);
  EXPECT_EQ(GeneratorOf(workload, "table").uniform().max(), 32);
  EXPECT_EQ(GeneratorOf(workload, "id").uniform().min(), 1);
  EXPECT_EQ(GeneratorOf(workload, "id").uniform().max(), 1000);
  EXPECT_EQ(GeneratorOf(workload, "k").uniform().min(), 1);
  EXPECT_EQ(GeneratorOf(workload, "k").uniform().max(), 1000);
  EXPECT_EQ(GeneratorOf(workload, "c").pattern().text().size(), 119u);
  EXPECT_EQ(GeneratorOf(workload, "pad").pattern().text().size(), 59u);
  const v1::Offset& range = GeneratorOf(workload, "id_end").offset();
  EXPECT_EQ(workload.variables(static_cast<int>(range.variable())).name(), "id");
  EXPECT_EQ(range.addend(), 99);
}

TEST(ReadWriteTest, PostgresqlNumbersPlaceholders) {
  const std::vector<std::string> statements =
      StatementsOf(Compiled(Use("oltp_read_write"), Driver::kPostgresql));
  EXPECT_EQ(statements[2],
            "SELECT c FROM sbtest{table} WHERE id BETWEEN $1 AND $2 id:int32 id_end:int32");
  EXPECT_EQ(statements[9],
            "INSERT INTO sbtest{table} (id, k, c, pad) VALUES ($1, $2, $3, $4) id:int32 k:int32 "
            "c:text pad:text");
}

TEST(OutlineTest, FollowsTheOptions) {
  struct Case {
    const char* use;
    WorkloadOptions options;
    int64_t statements;
    const char* outline;
  };
  const Case cases[] = {
      {"oltp_point_select", {.point_selects = 10}, 1, "table id <point_select>"},
      {"oltp_read_only",
       {},
       16,
       "<begin> table 10(id <point_select>) table id id_end <simple_range> "
       "table id id_end <sum_range> table id id_end <order_range> "
       "table id id_end <distinct_range> <commit>"},
      {"oltp_read_only",
       {.point_selects = 0, .simple_ranges = 2, .sum_ranges = 0, .order_ranges = 0},
       5,
       "<begin> table 2(id id_end <simple_range>) table id id_end <distinct_range> <commit>"},
      {"oltp_read_only",
       {.point_selects = 1, .range_selects = false, .skip_trx = true},
       1,
       "table id <point_select>"},
      {"oltp_write_only",
       {},
       6,
       "<begin> table id <index_update> table c id <non_index_update> "
       "table id <delete> k c pad <insert> <commit>"},
      {"oltp_write_only",
       {.index_updates = 0, .non_index_updates = 0, .delete_inserts = 3, .skip_trx = true},
       6,
       "table 3(id <delete> k c pad <insert>)"},
      // The reference run of YugabyteDB.
      {"oltp_read_write",
       {.range_selects = false, .index_updates = 10, .non_index_updates = 10},
       34,
       "<begin> table 10(id <point_select>) table 10(id <index_update>) "
       "table 10(c id <non_index_update>) table id <delete> k c pad <insert> <commit>"},
      {"oltp_update_index", {}, 1, "table id <index_update>"},
      {"oltp_update_index", {.index_updates = 4}, 4, "table 4(id <index_update>)"},
      {"oltp_update_non_index", {}, 1, "table c id <non_index_update>"},
      {"oltp_update_non_index", {.non_index_updates = 2}, 2, "table 2(c id <non_index_update>)"},
      {"oltp_delete", {}, 1, "table id <delete>"},
      {"oltp_insert", {}, 1, "table k c pad <insert>"},
      {"oltp_multi_insert", {}, 12, "<begin> table 10(k c pad <insert>) <commit>"},
      {"oltp_multi_insert",
       {.num_rows_in_insert = 3, .skip_trx = true},
       3,
       "table 3(k c pad <insert>)"},
  };
  for (const Case& c : cases) {
    const v1::Workload workload = Compiled(Use(c.use, c.options));
    EXPECT_EQ(Outline(workload), c.outline) << c.use;
    EXPECT_EQ(StatementsPerTransaction(workload), c.statements) << c.use;
  }
}

TEST(InsertTest, IdDependsOnFamilyAndAutoInc) {
  struct Case {
    const char* use;
    Driver driver;
    bool auto_inc;
    const char* statement;
  };
  const Case cases[] = {
      {"oltp_insert", Driver::kPostgresql, true,
       "INSERT INTO sbtest{table} (k, c, pad) VALUES (?, ?, ?) k:int32 c:text pad:text"},
      {"oltp_insert", Driver::kMysql, true,
       "INSERT INTO sbtest{table} (id, k, c, pad) VALUES (0, ?, ?, ?) k:int32 c:text pad:text"},
      {"oltp_insert", Driver::kMysql, false,
       "INSERT INTO sbtest{table} (id, k, c, pad) VALUES (?, ?, ?, ?) new_id:int32 k:int32 c:text "
       "pad:text"},
      {"oltp_multi_insert", Driver::kMysql, true,
       "INSERT INTO sbtest{table} (k, c, pad) VALUES (?, ?, ?) k:int32 c:text pad:text"},
      {"oltp_multi_insert", Driver::kPostgresql, false,
       "INSERT INTO sbtest{table} (id, k, c, pad) VALUES ($1, $2, $3, $4) new_id:int32 k:int32 "
       "c:text pad:text"},
  };
  for (const Case& c : cases) {
    DatasetPlan dataset = Dataset();
    dataset.auto_inc = c.auto_inc;
    const v1::Workload workload =
        Compiled(Use(c.use, {.num_rows_in_insert = 1, .skip_trx = true}), c.driver, dataset);
    EXPECT_THAT(StatementsOf(workload), ElementsAre(c.statement));
    // sysbench sends this one as text.
    EXPECT_EQ(workload.statements(0).as_text(), std::string(c.use) == "oltp_insert");
    if (!c.auto_inc) {
      EXPECT_TRUE(GeneratorOf(workload, "new_id").has_unique_id());
    }
  }
}

TEST(CompileTest, LabelNamesTheWorkload) {
  WorkloadPlan plan = Use("oltp_delete");
  plan.label = "shrink";
  EXPECT_EQ(Compiled(plan).name(), "shrink");
}

TEST(CompileTest, EveryBuiltinIsConsistent) {
  for (const KnownWorkload& known : KnownWorkloads()) {
    const std::string name(known.name);
    for (const Driver driver : {Driver::kPostgresql, Driver::kMysql}) {
      const v1::Workload workload = Compiled(Use(name), driver);
      ASSERT_EQ(workload.transactions_size(), 1) << name;
      EXPECT_EQ(workload.transactions(0).weight(), 1u) << name;
      for (const v1::Statement& statement : workload.statements()) {
        const char placeholder = driver == Driver::kMysql || statement.as_text() ? '?' : '$';
        EXPECT_EQ(std::count(statement.sql().begin(), statement.sql().end(), placeholder),
                  statement.parameters_size())
            << statement.sql();
        EXPECT_EQ(statement.has_table_variable(),
                  statement.sql().find("{table}") != std::string::npos)
            << statement.sql();
        const std::string& row = statement.rows().row();
        EXPECT_EQ(std::count(row.begin(), row.end(), '?'), statement.rows().parameters_size());
      }
    }
  }
}

TEST(CompileTest, RefusesWhatCannotRun) {
  struct Case {
    const char* use;
    WorkloadOptions options;
    int64_t table_size;
    const char* message;
  };
  const Case cases[] = {
      {"oltp_reed_write", {}, 10, "workload 'oltp_reed_write' is not built in; there are: bulk_in"},
      {"oltp_update_index", {.index_updates = 0}, 10, "its options leave no statement to execute"},
      {"oltp_write_only",
       {.index_updates = 0, .non_index_updates = 0, .delete_inserts = 0},
       10,
       "its options leave no statement to execute"},
      {"oltp_read_only",
       {.range_size = 100},
       2'147'483'549,
       "ranges reach id 2147483648 (of 2147483549 rows)"},
  };
  for (const Case& c : cases) {
    DatasetPlan dataset = Dataset();
    dataset.table_size = c.table_size;
    const auto workload = CompileWorkload(Use(c.use, c.options), dataset, Driver::kMysql);
    ASSERT_FALSE(workload.ok()) << c.use;
    EXPECT_EQ(workload.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(workload.status().message()), HasSubstr(c.message));
  }
}

TEST(CompileTest, TheLargestTableStillFits) {
  DatasetPlan dataset = Dataset();
  dataset.table_size = 2'147'483'548;
  EXPECT_TRUE(CompileWorkload(Use("oltp_read_only"), dataset, Driver::kMysql).ok());
  dataset.table_size = 2'147'483'647;
  EXPECT_TRUE(CompileWorkload(Use("oltp_point_select"), dataset, Driver::kMysql).ok());
}

TEST(DescribeTest, OneStatement) {
  EXPECT_EQ(Describe(Compiled(Use("oltp_point_select"))),
            "oltp_point_select, one transaction: 1 statement\n"
            "    1 x  SELECT c FROM sbtest{table} WHERE id=?  table, id\n"
            "    table = uniform(1, 32)\n"
            "    id    = uniform(1, 1000)\n");
}

TEST(DescribeTest, SaysWhatIsDrawnOnceAndWhatStaysTheSame) {
  WorkloadOptions options{.index_updates = 0, .non_index_updates = 0, .delete_inserts = 3};
  EXPECT_EQ(
      Describe(Compiled(Use("oltp_write_only", options))),
      "oltp_write_only, one transaction: 8 statements\n"
      "    1 x  BEGIN\n"
      "    3 x  DELETE FROM sbtest{table} WHERE id=?                           table once, id\n"
      "    3 x  INSERT INTO sbtest{table} (id, k, c, pad) VALUES (?, ?, ?, ?)  same table, same "
      "id, k, c, pad\n"
      "    1 x  COMMIT\n"
      "    table = uniform(1, 32)\n"
      "    id    = uniform(1, 1000)\n"
      "    k     = uniform(1, 1000)\n"
      "    c     = text \"###########-###########-…\", 119 characters, # is any digit\n"
      "    pad   = text \"###########-###########-…\", 59 characters, # is any digit\n");
}

TEST(DescribeTest, RangesAndUniqueIds) {
  DatasetPlan dataset = Dataset();
  dataset.auto_inc = false;
  EXPECT_THAT(Describe(Compiled(Use("oltp_read_only"))), HasSubstr("    id_end = id + 99\n"));
  EXPECT_THAT(Describe(Compiled(Use("oltp_insert"), Driver::kPostgresql, dataset)),
              HasSubstr("new_id = negative, unique over the fleet\n"));
}

TEST(DescribeTest, OwnWorkloads) {
  v1::Workload workload;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        name: "own"
        tables: 1
        variables {
          name: "n"
          generator { uniform { min: 1 max: 3 } }
        }
        variables {
          name: "total"
          generator {
            expression {
              terms { variable: 0 }
              terms { constant: 2 }
              terms { operator: OPERATOR_ADD }
              terms { constant: 10 }
              terms { operator: OPERATOR_MULTIPLY }
            }
          }
        }
        variables {
          name: "balance"
          generator { captured { type: COLUMN_TYPE_INT64 } }
        }
        variables {
          name: "note"
          generator { random_text { length_min: 3 length_max: 9 } }
        }
        variables {
          name: "kind"
          generator {
            choice {
              items { text: "a" weight: 3 }
              items { text: "b" weight: 1 }
            }
          }
        }
        statements {
          name: "read"
          sql: "SELECT b FROM t WHERE id=?"
          parameters { type: COLUMN_TYPE_INT32 variable: 0 }
          captures { column: 0 variable: 2 }
          as_text: true
        }
        statements { name: "rollback" sql: "ROLLBACK" rolls_back: true }
        transactions {
          name: "pay"
          weight: 1
          steps { draw: 0 }
          steps {
            repeat {
              count_variable: 0
              steps { execute: 0 }
            }
          }
          steps {
            branch {
              probability: 0.25
              then { execute: 1 }
              otherwise { think_us: 0 }
            }
          }
        }
      )pb",
      &workload));
  EXPECT_EQ(Describe(workload),
            "own, one transaction: 1 statement\n"
            "  n x  SELECT b FROM t WHERE id=?  n once, gives balance, as text\n"
            "    1 x 25 %  ROLLBACK\n"
            "    1 x 75 %  wait                        n\n"
            "    n       = uniform(1, 3)\n"
            "    total   = (n + 2) * 10\n"
            "    balance = from a result\n"
            "    note    = text of 3 to 9 characters a to z\n"
            "    kind    = one of 3 x \"a\", 1 x \"b\"\n");
}

}  // namespace
}  // namespace sysfleet
