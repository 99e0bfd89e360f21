#include "coordinator/plan/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "coordinator/plan/known_workloads.h"
#include "tests/coordinator/plan/plan_files.h"
#include "tests/coordinator/plan/plan_text.h"

namespace sysfleet {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string With(std::string_view database, std::string_view rest) {
  return std::string(database) + std::string(rest);
}

TEST(ParsePlan, FillsInSysbenchsDefaults) {
  const Plan plan = PlanOf(With(kPostgresql, "run: {workloads: oltp_read_write}\n"));
  EXPECT_EQ(plan.name, "plan");
  EXPECT_THAT(plan.agents, IsEmpty());
  EXPECT_EQ(plan.fleet_size(), 1);
  EXPECT_EQ(plan.database.driver, Driver::kPostgresql);
  EXPECT_EQ(plan.database.flavor, Flavor::kPostgresql);
  EXPECT_EQ(plan.database.name, "sbtest");
  EXPECT_EQ(plan.database.user, "sbtest");
  EXPECT_EQ(plan.database.password, "");
  EXPECT_EQ(plan.database.tls, TlsPolicy::kPrefer);
  EXPECT_EQ(plan.dataset.tables, 1);
  EXPECT_EQ(plan.dataset.table_size, 10'000);
  EXPECT_TRUE(plan.dataset.auto_inc);
  EXPECT_TRUE(plan.dataset.create_secondary);
  EXPECT_EQ(plan.dataset.serial_cache_size, 0);
  EXPECT_EQ(plan.load.threads, 16);
  EXPECT_EQ(plan.load.chunk_rows, 10'000);
  EXPECT_EQ(plan.load.method, LoadMethod::kAuto);
  EXPECT_THAT(plan.run.threads, ElementsAre(1));
  EXPECT_EQ(plan.run.time, seconds(10));
  EXPECT_EQ(plan.run.warmup_time, seconds(0));
  EXPECT_EQ(plan.run.events, 0);
  EXPECT_EQ(plan.run.thread_init_timeout, seconds(30));
  EXPECT_THAT(plan.run.ignore_errors.codes, ElementsAre("40P01", "23505", "40001"));
  EXPECT_FALSE(plan.run.ignore_errors.all);
  EXPECT_THAT(plan.report.percentiles, ElementsAre(95));
  EXPECT_EQ(plan.report.reference, "");
  EXPECT_EQ(plan.report.directory, "results");
  ASSERT_EQ(plan.run.workloads.size(), 1U);
  EXPECT_EQ(plan.run.workloads[0].use, "oltp_read_write");
  EXPECT_EQ(plan.run.workloads[0].label, "oltp_read_write");
  EXPECT_EQ(plan.run.workloads[0].options.point_selects, 10);
  EXPECT_EQ(plan.run.workloads[0].options.range_size, 100);
}

TEST(ParsePlan, ReadsEveryKey) {
  const Plan plan = PlanOf(R"(
name: all-keys
agents: [a:1, "[::1]:2", c]
database:
  driver: mysql
  flavor: mariadb
  nodes: [m1:3307, m2]
  name: bench
  user: root
  password: secret
  tls: require
  before_run: [set global x = 1, "select 1"]
dataset:
  tables: 3
  table-size: 10_000
  auto_inc: off
  create_secondary: no
  create_table_options: "COMMENT = 'x'"
  mysql_storage_engine: rocksdb
  seed: 9
load: {threads: 8, chunk-rows: 5k, method: local-infile}
run:
  point_selects: 3
  skip_trx: on
  workloads:
    - oltp_read_only
    - {use: oltp_read_write, label: rw-2, range_selects: off, index_updates: 4}
  threads: [3, 1k]
  warmup_time: 1m
  time: 1h30m
  events: 0
  ignore_errors: [1213, '1205']
  thread_init_timeout: 90
  seed: 4
report: {percentiles: [50, 99.9], directory: out/x}
)");
  EXPECT_EQ(plan.name, "all-keys");
  EXPECT_THAT(plan.agents, ElementsAre(Endpoint{"a", 1}, Endpoint{"::1", 2}, Endpoint{"c", 7070}));
  EXPECT_EQ(plan.fleet_size(), 3);
  EXPECT_EQ(plan.database.driver, Driver::kMysql);
  EXPECT_EQ(plan.database.flavor, Flavor::kMariadb);
  EXPECT_THAT(plan.database.nodes, ElementsAre(Endpoint{"m1", 3307}, Endpoint{"m2", 3306}));
  EXPECT_EQ(plan.database.name, "bench");
  EXPECT_EQ(plan.database.user, "root");
  EXPECT_EQ(plan.database.password, "secret");
  EXPECT_EQ(plan.database.tls, TlsPolicy::kRequire);
  EXPECT_THAT(plan.database.before_run, ElementsAre("set global x = 1", "select 1"));
  EXPECT_EQ(plan.dataset.tables, 3);
  EXPECT_EQ(plan.dataset.table_size, 10'000);
  EXPECT_FALSE(plan.dataset.auto_inc);
  EXPECT_FALSE(plan.dataset.create_secondary);
  EXPECT_EQ(plan.dataset.create_table_options, "COMMENT = 'x'");
  EXPECT_EQ(plan.dataset.mysql_storage_engine, "rocksdb");
  EXPECT_EQ(plan.dataset.seed, 9U);
  EXPECT_EQ(plan.load.threads, 8);
  EXPECT_EQ(plan.load.chunk_rows, 5'000);
  EXPECT_EQ(plan.load.method, LoadMethod::kLocalInfile);
  EXPECT_THAT(plan.run.threads, ElementsAre(3, 1'000));
  EXPECT_EQ(plan.run.warmup_time, seconds(60));
  EXPECT_EQ(plan.run.time, seconds(5'400));
  EXPECT_EQ(plan.run.events, 0);
  EXPECT_THAT(plan.run.ignore_errors.codes, ElementsAre("1213", "1205"));
  EXPECT_EQ(plan.run.thread_init_timeout, seconds(90));
  EXPECT_EQ(plan.run.seed, 4U);
  EXPECT_THAT(plan.report.percentiles, ElementsAre(50, 99.9));
  EXPECT_EQ(plan.report.directory, "out/x");
  ASSERT_EQ(plan.run.workloads.size(), 2U);
  const WorkloadPlan& first = plan.run.workloads[0];
  EXPECT_EQ(first.options.point_selects, 3);
  EXPECT_TRUE(first.options.skip_trx);
  EXPECT_TRUE(first.options.range_selects);
  const WorkloadPlan& second = plan.run.workloads[1];
  EXPECT_EQ(second.use, "oltp_read_write");
  EXPECT_EQ(second.label, "rw-2");
  EXPECT_EQ(second.options.point_selects, 3);
  EXPECT_FALSE(second.options.range_selects);
  EXPECT_EQ(second.options.index_updates, 4);
  EXPECT_EQ(second.options.non_index_updates, 1);
}

TEST(ParsePlan, ReadsEveryWorkloadOption) {
  const WorkloadOptions options =
      PlanOf(With(kMysql,
                  "run: {point_selects: 2, range_selects: off, range_size: 3, simple_ranges: 4, "
                  "sum_ranges: 5, order_ranges: 6, distinct_ranges: 7, index_updates: 8, "
                  "non_index_updates: 9, delete_inserts: 0, num_rows_in_insert: 11, skip_trx: on, "
                  "workloads: oltp_insert}\n"))
          .run.workloads.at(0)
          .options;
  EXPECT_EQ(options.point_selects, 2);
  EXPECT_FALSE(options.range_selects);
  EXPECT_EQ(options.range_size, 3);
  EXPECT_EQ(options.simple_ranges, 4);
  EXPECT_EQ(options.sum_ranges, 5);
  EXPECT_EQ(options.order_ranges, 6);
  EXPECT_EQ(options.distinct_ranges, 7);
  EXPECT_EQ(options.index_updates, 8);
  EXPECT_EQ(options.non_index_updates, 9);
  EXPECT_EQ(options.delete_inserts, 0);
  EXPECT_EQ(options.num_rows_in_insert, 11);
  EXPECT_TRUE(options.skip_trx);
}

TEST(ParsePlan, TakesPortAndFlavorFromTheServer) {
  const struct {
    std::string_view database;
    Flavor flavor;
    uint16_t port;
  } cases[] = {
      {"driver: postgresql", Flavor::kPostgresql, 5432},
      {"driver: pgsql", Flavor::kPostgresql, 5432},
      {"driver: mysql", Flavor::kMysql, 3306},
      {"driver: pgsql, flavor: yugabytedb", Flavor::kYugabytedb, 5433},
      {"driver: pgsql, flavor: cockroachdb", Flavor::kCockroachdb, 26257},
      {"driver: mysql, flavor: mariadb", Flavor::kMariadb, 3306},
      {"driver: mysql, flavor: tdstore", Flavor::kTdstore, 3306},
      {"driver: mysql, flavor: tidb", Flavor::kTidb, 4000},
      {"driver: mysql, flavor: oceanbase", Flavor::kOceanbase, 3306},
  };
  for (const auto& [database, flavor, port] : cases) {
    const Plan plan = PlanOf("database: {nodes: h, " + std::string(database) + "}\n");
    EXPECT_EQ(plan.database.flavor, flavor) << database;
    EXPECT_THAT(plan.database.nodes, ElementsAre(Endpoint{"h", port})) << database;
  }
}

TEST(ParsePlan, DefaultsThatDependOnOtherSections) {
  EXPECT_EQ(PlanOf(kYugabytedb).dataset.serial_cache_size, 1000);
  EXPECT_EQ(PlanOf(With(kYugabytedb, "dataset: {auto_inc: off}")).dataset.serial_cache_size, 0);
  EXPECT_EQ(PlanOf(With(kYugabytedb, "dataset: {serial_cache_size: 5}")).dataset.serial_cache_size,
            5);
  EXPECT_THAT(PlanOf(kMysql).run.ignore_errors.codes, ElementsAre("1213", "1020", "1205", "1062"));
  std::string agents = "agents: [a1";
  for (int i = 2; i <= 20; ++i) agents += ", a" + std::to_string(i);
  EXPECT_EQ(PlanOf(With(kMysql, agents + "]")).load.threads, 20);
}

TEST(ParsePlan, TakesOneValueForAList) {
  const Plan plan = PlanOf(With(kMysql,
                                "agents: a\n"
                                "run: {workloads: oltp_delete, threads: 7, ignore_errors: 1213}\n"
                                "report: {percentiles: 99}\n"));
  EXPECT_THAT(plan.agents, ElementsAre(Endpoint{"a", 7070}));
  EXPECT_EQ(plan.run.workloads.at(0).use, "oltp_delete");
  EXPECT_THAT(plan.run.threads, ElementsAre(7));
  EXPECT_THAT(plan.run.ignore_errors.codes, ElementsAre("1213"));
  EXPECT_THAT(plan.report.percentiles, ElementsAre(99));
  const Plan one_map = PlanOf(With(kMysql, "run: {workloads: {use: oltp_delete, label: d}}\n"));
  EXPECT_EQ(one_map.run.workloads.at(0).label, "d");
}

TEST(ParsePlan, IgnoresAllErrorsOrNone) {
  EXPECT_TRUE(PlanOf(With(kMysql, "run: {workloads: oltp_insert, ignore_errors: all}"))
                  .run.ignore_errors.all);
  const ErrorPolicy none =
      PlanOf(With(kMysql, "run: {workloads: oltp_insert, ignore_errors: []}")).run.ignore_errors;
  EXPECT_FALSE(none.all);
  EXPECT_THAT(none.codes, IsEmpty());
}

TEST(ParsePlan, KnowsEveryWorkload) {
  for (const KnownWorkload& known : KnownWorkloads()) {
    const std::string_view dataset = known.tables == NeededTables::kBulkInsert
                                         ? "dataset: {schema: bulk_insert}\n"
                                         : "dataset: {schema: sbtest}\n";
    const Plan plan = PlanOf(
        With(kMysql, std::string(dataset) + "run: {workloads: " + std::string(known.name) + "}\n"));
    EXPECT_EQ(plan.run.workloads.at(0).use, known.name);
  }
  EXPECT_TRUE(std::ranges::is_sorted(KnownWorkloads(), {}, &KnownWorkload::name));
}

TEST(ParsePlan, ReadsDistributions) {
  const Plan plan = PlanOf(With(
      kMysql,
      "dataset: {rand_type: gaussian, rand_spec_iter: 3}\n"
      "run: {rand_type: scrambled-zipfian, rand_zipfian_exp: 1.25, rand_spec_pct: 2,\n"
      "  workloads: [oltp_insert, {use: oltp_delete, rand_type: pareto, rand_pareto_h: 0.3}]}\n"));
  EXPECT_EQ(plan.dataset.random.type, RandType::kGaussian);
  EXPECT_EQ(plan.dataset.random.spec_iter, 3);
  const RandomOptions& first = plan.run.workloads.at(0).options.random;
  EXPECT_EQ(first.type, RandType::kScrambledZipfian);
  EXPECT_EQ(first.zipfian_exp, 1.25);
  EXPECT_EQ(first.spec_pct, 2);
  EXPECT_EQ(first.spec_res, 75);
  const RandomOptions& second = plan.run.workloads.at(1).options.random;
  EXPECT_EQ(second.type, RandType::kPareto);
  EXPECT_EQ(second.pareto_h, 0.3);
  EXPECT_EQ(second.zipfian_exp, 1.25);
}

TEST(ParsePlan, BulkInsertHasEmptyTables) {
  const Plan plan = PlanOf(With(kMysql, "dataset: {schema: bulk_insert, tables: 3}\n"));
  EXPECT_EQ(plan.dataset.table_size, 0);
  EXPECT_FALSE(plan.dataset.auto_inc);
  EXPECT_FALSE(plan.dataset.create_secondary);
}

TEST(ParsePlan, WideIdsLiftTheLimits) {
  const Plan plan = PlanOf(With(kPostgresql,
                                "dataset: {id_type: int64, table_size: 50G}\n"
                                "run: {workloads: oltp_read_only}\n"));
  EXPECT_EQ(plan.dataset.table_size, 50'000'000'000);
}

TEST(ParsePlan, IndexesComeBeforeTheRowsForYugabytedbOnly) {
  EXPECT_EQ(PlanOf(std::string(kYugabytedb)).dataset.index, IndexTime::kBefore);
  EXPECT_EQ(PlanOf(With(kPostgresql, "")).dataset.index, IndexTime::kAfter);
  EXPECT_EQ(PlanOf(With(kYugabytedb, "dataset: {index: after}\n")).dataset.index,
            IndexTime::kAfter);
}

TEST(ParsePlan, AnEmptySectionIsItsDefaults) {
  const Plan plan = PlanOf(With(kMysql, "agents:\ndataset:\nload:\nreport:\n"));
  EXPECT_EQ(plan.dataset.tables, 1);
  EXPECT_EQ(plan.fleet_size(), 1);
}

TEST(ParsePlan, AllowsLimitsThatJustFit) {
  const Plan plan = PlanOf(With(kPostgresql,
                                "agents: [a, b]\n"
                                "dataset: {table_size: 2147483548}\n"
                                "load: {threads: 2}\n"
                                "run: {workloads: oltp_read_only, threads: 2}\n"));
  EXPECT_EQ(plan.dataset.table_size, 2'147'483'548);  // The last range ends at 2^31 - 1.
  EXPECT_EQ(PlanOf(With(kPostgresql,
                        "dataset: {table_size: 2147483647}\n"
                        "run: {workloads: {use: oltp_read_only, range_selects: off}}\n"))
                .dataset.table_size,
            2'147'483'647);
  EXPECT_EQ(PlanOf(With(kPostgresql, "dataset: {tables: 100, table_size: 1G}\n")).dataset.tables,
            100);
}

TEST(ParsePlan, ReplacesReferencesInEveryText) {
  setenv("SYSFLEET_TEST_NODE", "h1:5", 1);
  setenv("SYSFLEET_TEST_THREADS", "12", 1);
  PlanFiles files;
  files.Write("pw", "file secret\n");
  const auto result = ParsePlan(
      "database: {driver: mysql, nodes: \"${env:SYSFLEET_TEST_NODE}\", password: \"${file:pw}\"}\n"
      "run:\n  workloads: oltp_insert\n  threads: ${env:SYSFLEET_TEST_THREADS}\n",
      "plan.yaml", files.directory(), {});
  ASSERT_EQ(ErrorsOf(result), "");
  const Plan& plan = std::get<Plan>(result);
  EXPECT_THAT(plan.database.nodes, ElementsAre(Endpoint{"h1", 5}));
  EXPECT_EQ(plan.database.password, "file secret");
  EXPECT_THAT(plan.run.threads, ElementsAre(12));
}

TEST(ParsePlan, FindsAReferenceBesideThePlanOrAmongTheShippedOnes) {
  PlanFiles files;
  files.Write("plans/own.csv", "");
  files.Write("reference/shipped.csv", "");
  const std::string directory = files.PathOf("plans");
  const std::pair<std::string, std::string> cases[] = {
      {"own.csv", files.PathOf("plans/own.csv")},
      {"./own.csv", files.PathOf("plans/own.csv")},
      {"shipped.csv", files.PathOf("reference/shipped.csv")},
      {"../reference/shipped.csv", files.PathOf("reference/shipped.csv")},
      {files.PathOf("plans/own.csv"), files.PathOf("plans/own.csv")},
  };
  for (const auto& [written, found] : cases) {
    const auto result = ParsePlan(With(kMysql, "report: {reference: " + written + "}\n"),
                                  "plan.yaml", directory, {});
    ASSERT_EQ(ErrorsOf(result), "");
    EXPECT_EQ(std::get<Plan>(result).report.reference, found) << written;
  }
}

TEST(ReadPlan, NamesThePlanByItsFile) {
  PlanFiles files;
  files.Write("night-1.2.yaml", kMysql);
  const auto result = ReadPlan(files.PathOf("night-1.2.yaml"), {});
  ASSERT_EQ(ErrorsOf(result), "");
  EXPECT_EQ(std::get<Plan>(result).name, "night-1.2");
}

TEST(ReadPlan, TellsWhyAFileCannotBeRead) {
  PlanFiles files;
  files.Write("large.yaml", std::string(1024 * 1024 + 1, '#'));
  const std::pair<std::string, std::string> cases[] = {
      {"none.yaml", "No such file or directory"},
      {"", "Is a directory"},
      {"large.yaml", "larger than 1024 KiB"},
  };
  for (const auto& [name, reason] : cases) {
    const std::string path = files.PathOf(name);
    EXPECT_EQ(ErrorsOf(ReadPlan(path, {})), path + ": cannot read the plan: " + reason + "\n");
  }
}

}  // namespace
}  // namespace sysfleet
