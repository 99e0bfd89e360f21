#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "coordinator/plan/secrets.h"
#include "tests/coordinator/plan/plan_files.h"
#include "tests/coordinator/plan/plan_text.h"

namespace sysfleet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ToYaml, ShowsEveryResolvedValue) {
  const Plan plan = PlanOf(
      "agents: [a:1, '[::1]:2']\n"
      "database: {driver: postgresql, flavor: yugabytedb, nodes: [n1, n2], password: pw}\n"
      "run:\n"
      "  workloads: [oltp_insert, {use: oltp_read_write, label: rw, range_selects: off}]\n"
      "  threads: [2, 4]\n");
  EXPECT_EQ(ToYaml(plan), R"(name: plan
agents: [a:1, "[::1]:2"]
fleet:
  lease: 10s
  insecure: off
database:
  driver: postgresql
  flavor: yugabytedb
  nodes: [n1:5433, n2:5433]
  name: sbtest
  user: sbtest
  password: "***"
  tls: prefer
  before_run: []
dataset:
  existing: off
  schema: sbtest
  tables: 1
  table_size: 10000
  auto_inc: on
  id_type: int32
  create_secondary: on
  index: before
  create_table_options: ""
  serial_cache_size: 1000
  range_key_partitioning: off
  manual_range_splitting: on
  num_table_splits: 24
  rand_type: uniform
  rand_pareto_h: 0.2
  rand_zipfian_exp: 0.8
  rand_spec_iter: 12
  rand_spec_pct: 1
  rand_spec_res: 75
  seed: 1
load:
  threads: 16
  chunk_rows: 10000
  method: auto
run:
  point_selects: 10
  range_size: 100
  simple_ranges: 1
  sum_ranges: 1
  order_ranges: 1
  distinct_ranges: 1
  index_updates: 1
  non_index_updates: 1
  delete_inserts: 1
  num_rows_in_insert: 10
  batch_insert_count: 4000
  smaller_row_sizes: off
  random_points: 10
  number_of_ranges: 10
  delta: 5
  skip_trx: off
  db_ps_mode: auto
  rand_type: uniform
  rand_pareto_h: 0.2
  rand_zipfian_exp: 0.8
  rand_spec_iter: 12
  rand_spec_pct: 1
  rand_spec_res: 75
  workloads:
    - {use: oltp_insert, label: oltp_insert, range_selects: on}
    - {use: oltp_read_write, label: rw, range_selects: off}
  threads: [2, 4]
  warmup_time: 0s
  time: 10s
  events: 0
  ignore_errors: [40P01, 23505, 40001]
  thread_init_timeout: 30s
  retry_limit: 0
  reconnect: 0
  forced_shutdown: 5s
  seed: 1
  audit: off
  repeat: 1
  order: written
  pause: 0s
  before_cell: []
  after_cell: []
report:
  percentiles: [95]
  directory: results
)");
}

TEST(ToYaml, IsReadAgainAsTheSamePlan) {
  const std::string plans[] = {
      std::string(kMysql),
      std::string(kPostgresql) + "dataset: {serial_cache_size: 7}\n",
      std::string(kYugabytedb) + "run: {workloads: oltp_delete, ignore_errors: []}\n",
      "database:\n"
      "  driver: mysql\n"
      "  nodes: ['[fe80::1%eth0]:3306', h]\n"
      "  name: 'null'\n"
      "  user: \"o'\\\"\\\\ \\t\\n\xc3\xa4 $${env:X} ~\"\n"
      "  before_run: ['a: b # c', '- x', \"line\\nline\", '{x}', '*y', '']\n"
      "dataset: {create_table_options: \"COMMENT='${x'\", mysql_storage_engine: tokudb}\n",
      std::string(kMysql) +
          "dataset: {secondary: on, id_type: int64, index: before, rand_type: pareto,\n"
          "  rand_pareto_h: 0.25}\n"
          "run: {rand_type: zipfian, rand_zipfian_exp: 1.05, workloads: [oltp_insert,\n"
          "  {use: oltp_delete, rand_type: special, db_ps_mode: disable}]}\n",
      std::string(kPostgresql) +
          "dataset: {schema: bulk_insert, tables: 4}\nrun: {workloads: bulk_insert, threads: 4}\n",
      std::string(kMysql) +
          "load: {threads: 3, chunk_rows: 7, method: local_infile}\n"
          "run: {workloads: [oltp_insert, {use: oltp_insert, label: on, skip_trx: on}],\n"
          "  threads: [1, 5], warmup_time: 2m, time: 1h, events: 0, ignore_errors: all, seed: 6}\n"
          "report: {percentiles: [50, 99.99], directory: 'my results'}\n",
  };
  for (std::string text : plans) {
    // A "${" in single quotes above is the text's own, not a reference.
    if (const size_t place = text.find("'${x"); place != std::string::npos)
      text.insert(place + 1, "$");
    const Plan plan = PlanOf(text);
    const std::string yaml = ToYaml(plan);
    const Plan again = PlanOf(yaml);
    EXPECT_EQ(ToYaml(again), yaml);
    EXPECT_EQ(again.database.user, plan.database.user);
    EXPECT_EQ(again.database.name, plan.database.name);
    EXPECT_EQ(again.database.before_run, plan.database.before_run);
    EXPECT_EQ(again.dataset.create_table_options, plan.dataset.create_table_options);
  }
}

TEST(ToYaml, KeepsTheReferenceFromAnywhere) {
  PlanFiles files;
  files.Write("figures.csv", "");
  const std::string relative =
      std::filesystem::relative(files.PathOf("figures.csv")).lexically_normal().string();
  const Plan plan = PlanOf(std::string(kMysql) + "report: {reference: " + relative + "}\n");
  EXPECT_EQ(plan.report.reference, relative);
  const auto again = ParsePlan(ToYaml(plan), "plan.yaml", "/", {});
  ASSERT_EQ(ErrorsOf(again), "");
  EXPECT_TRUE(
      std::filesystem::equivalent(std::get<Plan>(again).report.reference, plan.report.reference));
}

TEST(ToYaml, ShowsNoSecret) {
  setenv("SYSFLEET_TEST_PASSWORD", "pass-1", 1);
  setenv("SYSFLEET_TEST_OTHER", "other-2", 1);
  const Plan plan = PlanOf(
      "database:\n"
      "  driver: mysql\n"
      "  nodes: h\n"
      "  password: ${env:SYSFLEET_TEST_PASSWORD}\n"
      "  before_run:\n"
      "    - set password = 'pass-1'\n"
      "    - set x = '${env:SYSFLEET_TEST_OTHER}', y = 'other-2'\n");
  EXPECT_EQ(plan.database.password, "pass-1");
  EXPECT_EQ(plan.database.before_run.at(1), "set x = 'other-2', y = 'other-2'");
  const std::string yaml = ToYaml(plan);
  EXPECT_THAT(yaml, HasSubstr("  password: \"***\"\n"));
  EXPECT_THAT(yaml, HasSubstr("    - \"set password = '***'\"\n"));
  EXPECT_THAT(yaml, HasSubstr("    - \"set x = '***', y = '***'\"\n"));
  EXPECT_THAT(yaml, Not(HasSubstr("pass-1")));
  EXPECT_THAT(yaml, Not(HasSubstr("other-2")));
}

TEST(HideSecrets, HidesTheLongestThatBegins) {
  DatabasePlan database;
  database.password = "abc";
  database.secrets = {"abcdef", "x"};
  EXPECT_EQ(HideSecrets("abc abcdef abcd x y", database), "*** *** ***d *** y");
  EXPECT_EQ(HideSecrets("", database), "");
  EXPECT_EQ(HideSecrets("nothing to hide", DatabasePlan{}), "nothing to hide");
}

TEST(ToYaml, OfASearchOrARateReadsAsItIsWritten) {
  for (const char* run :
       {"search: {vary: threads, limit: \"p99 < 20ms and errors < 0.1%\", from: 2}",
        "search: {vary: rate, limit: tps > 5, confirm_time: 9s}, arrivals: even",
        "rate: [0.5, 2k/s], threads: [4, 8], repeat: 3, order: shuffled, pause: 3s",
        "warmup_time: {min: 5s, max: 1m}, before_cell: [a, b], after_cell: c"}) {
    const std::string text = ToYaml(
        PlanOf(std::string("database: {driver: mysql, nodes: n}\nrun: {workloads: oltp_insert, ") +
               run + "}\n"));
    EXPECT_EQ(ToYaml(PlanOf(text)), text);
  }
  const Plan plan = PlanOf(
      "database: {driver: mysql, nodes: n}\n"
      "run: {workloads: oltp_insert, warmup_time: {min: 5s, max: 1m}, rate: 2k/s}\n");
  EXPECT_EQ(plan.run.warmup_time, std::chrono::minutes(1));
  EXPECT_EQ(plan.run.warmup_min, std::chrono::seconds(5));
  EXPECT_EQ(plan.run.rates, std::vector<double>{2000});
}

}  // namespace
}  // namespace sysfleet
