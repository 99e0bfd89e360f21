// The workloads beyond the first nine: exactly what each sends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "coordinator/plan/known_workloads.h"
#include "coordinator/workload/workload.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

DatasetPlan Dataset() {
  DatasetPlan dataset;
  dataset.tables = 4;
  dataset.table_size = 1000;
  return dataset;
}

v1::Workload Compiled(const std::string& use, const WorkloadOptions& options = {},
                      const DatasetPlan& dataset = Dataset(), Driver driver = Driver::kPostgresql) {
  const WorkloadPlan plan{.use = use, .label = use, .options = options};
  absl::StatusOr<v1::Workload> workload = CompileWorkload(plan, dataset, driver);
  EXPECT_TRUE(workload.ok()) << workload.status();
  return workload.ok() ? *std::move(workload) : v1::Workload();
}

std::string VariableName(const v1::Workload& workload, uint32_t variable) {
  return workload.variables(static_cast<int>(variable)).name();
}

/// "table id <point_select>", "10(id <point_select>)", "wait idle_us".
std::string Outline(const v1::Workload& workload,
                    const google::protobuf::RepeatedPtrField<v1::Step>& steps) {
  std::string text;
  for (const v1::Step& step : steps) {
    if (!text.empty()) text += ' ';
    if (step.has_draw()) text += VariableName(workload, step.draw());
    if (step.has_think_us()) text += "wait " + VariableName(workload, step.think_us());
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

/// "SELECT … [id id_end] as text".
std::string StatementText(const v1::Workload& workload, const v1::Statement& statement) {
  std::string text = statement.sql() + " [";
  for (const v1::Parameter& parameter : statement.parameters()) {
    if (text.back() != '[') text += ' ';
    text += VariableName(workload, parameter.variable());
  }
  return text + (statement.as_text() ? "] as text" : "]");
}

std::string Generator(const v1::Workload& workload, const std::string& name) {
  for (const v1::Variable& variable : workload.variables()) {
    if (variable.name() == name) return variable.generator().ShortDebugString();
  }
  return "";
}

struct Case {
  const char* use;
  WorkloadOptions options;
  const char* outline;
  const char* statement;
};

TEST(SysbenchWorkloads, SendSysbenchsStatements) {
  const Case cases[] = {
      {"oltp_simple_ranges",
       {.simple_ranges = 3},
       "table 3(id id_end <simple_range>)",
       "SELECT c FROM sbtest{table} WHERE id BETWEEN $1 AND $2 [id id_end]"},
      {"oltp_sum_scan",
       {},
       "table id id_end <sum_range>",
       "SELECT SUM(k) FROM sbtest{table} WHERE id BETWEEN $1 AND $2 [id id_end]"},
      {"oltp_primarykey_scan",
       {},
       "table id id_end <order_range>",
       "SELECT c FROM sbtest{table} WHERE id BETWEEN $1 AND $2 ORDER BY c [id id_end]"},
      {"oltp_sequential_scan",
       {},
       "table limit <sequential_scan>",
       "SELECT c FROM sbtest{table} LIMIT $1 [limit]"},
      {"oltp_join",
       {},
       "table id id_beyond <join>",
       "SELECT t1.c, t2.c FROM sbtest{table} t1 JOIN sbtest{other_table} t2 ON t1.id = t2.id WHERE "
       "t1.id > $1 AND t1.id < $2 AND t2.id > $3 AND t2.id < $4 [id id_beyond id id_beyond]"},
      {"select_one", {}, "<select_one>", "select 1 [] as text"},
      {"select_random_points",
       {.random_points = 3},
       "k1 k2 k3 <random_points>",
       "SELECT id, k, c, pad FROM sbtest1 WHERE k IN ($1, $2, $3) [k1 k2 k3]"},
      {"select_random_ranges",
       {.number_of_ranges = 2},
       "k1 k1_end k2 k2_end <random_ranges>",
       "SELECT count(k) FROM sbtest1 WHERE k BETWEEN $1 AND $2 OR k BETWEEN $3 AND $4 "
       "[k1 k1_end k2 k2_end]"},
      {"oltp_multi_value_insert",
       {},
       "table <insert>",
       "INSERT INTO sbtest{table}(k, c, pad) VALUES [] as text"},
      {"bulk_insert", {}, "table <insert>", "INSERT INTO sbtest{table} VALUES [] as text"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.use);
    const v1::Workload workload = Compiled(c.use, c.options);
    EXPECT_EQ(Outline(workload, workload.transactions(0).steps()), c.outline);
    ASSERT_EQ(workload.statements_size(), 1);
    EXPECT_EQ(StatementText(workload, workload.statements(0)), c.statement);
  }
}

TEST(SysbenchWorkloads, IdleOnlyWaits) {
  for (const char* const name : {"idle", "idleconnection"}) {
    const v1::Workload workload = Compiled(name);
    EXPECT_EQ(Outline(workload, workload.transactions(0).steps()), "idle_us wait idle_us");
    EXPECT_EQ(Generator(workload, "idle_us"), "uniform { min: 1000000 max: 1000000 }");
    EXPECT_EQ(workload.statements_size(), 0);
    EXPECT_EQ(StatementsPerTransaction(workload), 0);
  }
}

TEST(SysbenchWorkloads, RandomPointsAndRangesStayInTheConnectionsPart) {
  EXPECT_EQ(Generator(Compiled("select_random_points"), "k10"), "slice { size: 1000 }");
  const v1::Workload ranges = Compiled("select_random_ranges");
  EXPECT_EQ(Generator(ranges, "k10"), "slice { size: 1000 }");
  EXPECT_THAT(Generator(ranges, "k10_end"), HasSubstr("addend: 5"));
}

TEST(SysbenchWorkloads, RandomRangesOfWideIdsEndWithinAnInteger) {
  DatasetPlan dataset = Dataset();
  dataset.id_type = IdType::kInt64;
  dataset.table_size = 10'000'000'000;
  EXPECT_EQ(Generator(Compiled("select_random_ranges", {.delta = 7}, dataset), "k1"),
            "slice { size: 2147483640 }");
}

TEST(SysbenchWorkloads, MultiValueInsertFillsStatements) {
  const v1::Workload workload = Compiled("oltp_multi_value_insert", {.batch_insert_count = 500});
  const v1::Rows& rows = workload.statements(0).rows();
  EXPECT_EQ(rows.row(), "(?, ?, ?)");
  EXPECT_EQ(rows.count(), 500U);
  EXPECT_EQ(rows.bytes_max(), 524'288U);
  std::vector<std::string> drawn;
  for (const uint32_t variable : rows.draws()) drawn.push_back(VariableName(workload, variable));
  EXPECT_THAT(drawn, ElementsAre("k", "c", "pad"));
  const v1::Workload small = Compiled("oltp_multi_value_insert", {.smaller_row_sizes = true});
  EXPECT_EQ(small.variables(1).generator().pattern().text().size(), 59U);
  EXPECT_EQ(small.variables(2).generator().pattern().text(), "###########-###########-###########");
}

TEST(SysbenchWorkloads, BulkInsertCountsUpInATableOfItsOwn) {
  const v1::Workload workload = Compiled("bulk_insert");
  EXPECT_EQ(Generator(workload, "table"), "connection { modulus: 4 }");
  EXPECT_EQ(Generator(workload, "id"), "counter { }");
  const v1::Rows& rows = workload.statements(0).rows();
  EXPECT_EQ(rows.row(), "(?,?)");
  EXPECT_EQ(rows.count(), 0U);
  EXPECT_EQ(rows.bytes_max(), 524'288U);
}

TEST(SysbenchWorkloads, JoinHasOneOtherTableForEach) {
  DatasetPlan dataset = Dataset();
  const v1::Workload workload = Compiled("oltp_join", {}, dataset);
  const auto& others = workload.statements(0).other_tables();
  ASSERT_EQ(others.size(), 4);
  EXPECT_THAT(others, Each(testing::AllOf(testing::Ge(1U), testing::Le(4U))));
  EXPECT_THAT(Compiled("oltp_join", {}, dataset).statements(0).other_tables(),
              testing::ElementsAreArray(others));
  dataset.tables = 100;
  const v1::Workload one = Compiled("oltp_join", {}, dataset);
  dataset.seed = 2;
  EXPECT_THAT(Compiled("oltp_join", {}, dataset).statements(0).other_tables(),
              testing::Not(testing::ElementsAreArray(one.statements(0).other_tables())));
}

TEST(SysbenchWorkloads, SayWhatTheyDoToRows) {
  const v1::Workload workload = Compiled("oltp_write_only");
  std::vector<v1::Effect> effects;
  for (const v1::Statement& statement : workload.statements())
    effects.push_back(statement.effect());
  EXPECT_THAT(effects, ElementsAre(v1::EFFECT_NONE, v1::EFFECT_INCREMENT_K, v1::EFFECT_NONE,
                                   v1::EFFECT_DELETE_ROW, v1::EFFECT_INSERT_ROW, v1::EFFECT_NONE));
  for (const char* const use : {"oltp_insert", "oltp_multi_value_insert", "bulk_insert"}) {
    EXPECT_EQ(Compiled(use).statements(0).effect(), v1::EFFECT_INSERT_ROW) << use;
  }
}

TEST(PsMode, DisableSendsEverythingAsText) {
  for (const KnownWorkload& known : KnownWorkloads()) {
    const v1::Workload workload =
        Compiled(std::string(known.name), {.db_ps_mode = PsMode::kDisable});
    for (const v1::Statement& statement : workload.statements()) {
      EXPECT_TRUE(statement.as_text()) << statement.sql();
      EXPECT_EQ(statement.sql().find('$'), std::string::npos) << statement.sql();
    }
  }
}

TEST(RandType, ChoosesHowIdsAndKAreDrawn) {
  const struct {
    RandomOptions random;
    const char* generator;
  } cases[] = {
      {{.type = RandType::kUniform}, "uniform { min: 1 max: 1000 }"},
      {{.type = RandType::kGaussian}, "gaussian { min: 1 max: 1000 iterations: 12 }"},
      {{.type = RandType::kSpecial, .spec_pct = 2, .spec_res = 60},
       "special { min: 1 max: 1000 iterations: 12 hot_width_percent: 2 hot_percent: 60 }"},
      {{.type = RandType::kPareto}, "pareto { min: 1 max: 1000 h: 0.2 }"},
      {{.type = RandType::kZipfian}, "zipfian { min: 1 max: 1000 exponent: 0.8 }"},
      {{.type = RandType::kScrambledZipfian, .zipfian_exp = 1.5},
       "zipfian { min: 1 max: 1000 exponent: 1.5 scrambled: true }"},
  };
  for (const auto& c : cases) {
    const v1::Workload workload = Compiled("oltp_write_only", {.random = c.random});
    EXPECT_EQ(Generator(workload, "id"), c.generator);
    EXPECT_EQ(Generator(workload, "k"), c.generator);
    EXPECT_EQ(Generator(workload, "table"), "uniform { min: 1 max: 4 }");
  }
}

TEST(WideIds, HaveWideParametersButNotK) {
  DatasetPlan dataset = Dataset();
  dataset.id_type = IdType::kInt64;
  dataset.table_size = 10'000'000'000;
  dataset.auto_inc = false;
  const v1::Workload workload = Compiled("oltp_insert", {}, dataset);
  EXPECT_EQ(Generator(workload, "new_id"), "unique_id { bits: 64 }");
  EXPECT_EQ(Generator(workload, "k"), "uniform { min: 1 max: 2147483647 }");
  EXPECT_EQ(workload.statements(0).parameters(0).type(), v1::COLUMN_TYPE_INT64);
  EXPECT_EQ(workload.statements(0).parameters(1).type(), v1::COLUMN_TYPE_INT32);
}

TEST(Describe, SaysWhatTheOthersDo) {
  EXPECT_EQ(
      Describe(Compiled("oltp_multi_value_insert", {.batch_insert_count = 500})),
      "oltp_multi_value_insert, one transaction: 1 statement\n"
      "    1 x  INSERT INTO sbtest{table}(k, c, pad) VALUES (?, ?, ?), ...  table, 500 rows of "
      "k, c, pad, at most 524288 bytes each, as text\n"
      "    k     = uniform(1, 1000)\n"
      "    c     = text \"###########-###########-…\", 119 characters, # is any digit\n"
      "    pad   = text \"###########-###########-…\", 59 characters, # is any digit\n"
      "    table = uniform(1, 4)\n");
  EXPECT_EQ(Describe(Compiled("idle")),
            "idle, one transaction: 0 statements\n"
            "    1 x  wait  idle_us\n"
            "    idle_us = 1000000\n");
  EXPECT_THAT(Describe(Compiled("bulk_insert")),
              HasSubstr("VALUES (?,?), ...  table, as many rows as fit of id, id, at most 524288 "
                        "bytes each, as text\n"
                        "    table = 1 + the connection's number modulo 4\n"
                        "    id    = 1, 2, 3 … for each connection\n"));
  EXPECT_THAT(Describe(Compiled("oltp_join")),
              HasSubstr("  table, id, id_beyond, id, id_beyond, other_table fixed by table\n"));
}

TEST(Describe, NamesDistributions) {
  const struct {
    RandomOptions random;
    const char* text;
  } cases[] = {
      {{.type = RandType::kGaussian}, "gaussian(1, 1000), mean of 12"},
      {{.type = RandType::kSpecial},
       "special(1, 1000), 75 % in the middle 1 %, the others gaussian of 12"},
      {{.type = RandType::kPareto}, "pareto(1, 1000), h 0.2"},
      {{.type = RandType::kZipfian}, "zipfian(1, 1000), exponent 0.8, low ones hot"},
      {{.type = RandType::kScrambledZipfian}, "zipfian(1, 1000), exponent 0.8, hot ones spread"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(Describe(Compiled("oltp_point_select", {.random = c.random})),
                HasSubstr(std::string("id    = ") + c.text + "\n"));
  }
}

}  // namespace
}  // namespace sysfleet
