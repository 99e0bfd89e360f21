// sysbench's commands as plans.
#include "coordinator/sysbench/to_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "common/base/status.h"
#include "coordinator/plan/parse.h"
#include "coordinator/sysbench/options.h"

namespace sysfleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Arguments = std::vector<std::string>;

SysbenchCommand Command(const Arguments& arguments) {
  auto parsed = ParseSysbenchArguments(
      arguments, [](const std::string& path) { return absl::NotFoundError(path); });
  if (const auto* exit = std::get_if<SysbenchExit>(&parsed)) {
    ADD_FAILURE() << exit->out << exit->err;
    return {};
  }
  return std::get<SysbenchCommand>(parsed);
}

const SysbenchContext kContext = {
    .random_seed = 77, .mysql_password = "of-mysql", .pgsql_password = "of-pgsql"};

Plan PlanOf(const Arguments& arguments) {
  auto plan = ToPlan(Command(arguments), kContext);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : Plan{};
}

std::string Problem(const Arguments& arguments) {
  const auto plan = ToPlan(Command(arguments), kContext);
  EXPECT_FALSE(plan.ok());
  return plan.ok() ? "" : Message(plan.status());
}

std::vector<std::string> Nodes(const Plan& plan) {
  std::vector<std::string> nodes;
  for (const Endpoint& node : plan.database.nodes) nodes.push_back(ToString(node));
  return nodes;
}

TEST(ToPlanTest, PrepareOfTdstorePage) {
  const Plan plan =
      PlanOf({"oltp_common", "--threads=256", "--mysql-host=db", "--mysql-port=3307",
              "--mysql-user=root", "--mysql-password=p${w", "--mysql-db=sbtest", "--auto_inc=off",
              "--mysql-ignore-errors=all", "prepare", "--tables=32", "--table-size=10000000"});
  EXPECT_EQ(plan.database.driver, Driver::kMysql);
  EXPECT_THAT(Nodes(plan), ElementsAre("db:3307"));
  EXPECT_EQ(plan.database.user, "root");
  EXPECT_EQ(plan.database.password, "p${w");
  EXPECT_EQ(plan.database.tls, TlsPolicy::kDisable);
  EXPECT_FALSE(plan.dataset.existing);
  EXPECT_FALSE(plan.dataset.auto_inc);
  EXPECT_EQ(plan.dataset.tables, 32);
  EXPECT_EQ(plan.dataset.table_size, 10'000'000);
  EXPECT_EQ(plan.load.threads, 256);
  EXPECT_TRUE(plan.run.workloads.empty());
}

TEST(ToPlanTest, RunOfTdstorePage) {
  const Plan plan =
      PlanOf({"oltp_read_write", "--threads=32", "--time=600", "--report-interval=1",
              "--mysql-host=db", "--mysql-user=root", "--mysql-password=x", "--mysql-db=sbtest",
              "--auto_inc=off", "--mysql-ignore-errors=all", "run", "--tables=32",
              "--table-size=10000000", "--agents=c1:7070,c2:7070"});
  EXPECT_TRUE(plan.dataset.existing);
  ASSERT_EQ(plan.run.workloads.size(), 1u);
  EXPECT_EQ(plan.run.workloads[0].use, "oltp_read_write");
  EXPECT_THAT(plan.run.threads, ElementsAre(32));
  EXPECT_EQ(plan.run.time.count(), 600);
  EXPECT_TRUE(plan.run.ignore_errors.all);
  EXPECT_EQ(plan.run.seed, 77u);
  EXPECT_EQ(plan.agents.size(), 2u);
  EXPECT_EQ(plan.load.threads, 2);
  EXPECT_THAT(plan.report.percentiles, ElementsAre(95));
}

TEST(ToPlanTest, RunOfYugabytedbPage) {
  const Plan plan = PlanOf({"oltp_multi_insert",
                            "--tables=20",
                            "--table-size=5000000",
                            "--range_key_partitioning=false",
                            "--serial_cache_size=1000",
                            "--create_secondary=true",
                            "--pgsql-db=yugabyte",
                            "--pgsql-user=yugabyte",
                            "--db-driver=pgsql",
                            "--pgsql-host=n1,n2,n3",
                            "--pgsql-port=5433",
                            "--time=1800",
                            "--warmup-time=300",
                            "--num_rows_in_insert=10",
                            "--point_selects=10",
                            "--index_updates=10",
                            "--non_index_updates=10",
                            "--range_selects=false",
                            "--threads=60",
                            "--thread-init-timeout=90",
                            "run"});
  EXPECT_EQ(plan.database.driver, Driver::kPostgresql);
  EXPECT_EQ(plan.database.flavor, Flavor::kYugabytedb);
  EXPECT_THAT(Nodes(plan), ElementsAre("n1:5433", "n2:5433", "n3:5433"));
  EXPECT_EQ(plan.database.password, "of-pgsql");
  EXPECT_EQ(plan.database.tls, TlsPolicy::kPrefer);
  EXPECT_EQ(plan.dataset.serial_cache_size, 1000);
  EXPECT_EQ(plan.run.warmup_time.count(), 300);
  EXPECT_EQ(plan.run.thread_init_timeout.count(), 90);
  EXPECT_EQ(plan.run.workloads[0].options.index_updates, 10);
  EXPECT_FALSE(plan.run.workloads[0].options.range_selects);
  EXPECT_THAT(plan.run.ignore_errors.codes, ElementsAre("40P01", "23505", "40001"));
}

TEST(ToPlanTest, EveryPortOfAHostBeforeTheNextHost) {
  EXPECT_THAT(Nodes(PlanOf({"oltp_insert", "run", "--mysql-host=a,::1", "--mysql-port=1,2"})),
              ElementsAre("a:1", "a:2", "[::1]:1", "[::1]:2"));
}

TEST(ToPlanTest, DriverIsMysqlUnlessOptionsSayOtherwise) {
  EXPECT_EQ(PlanOf({"oltp_insert", "run"}).database.driver, Driver::kMysql);
  EXPECT_EQ(PlanOf({"oltp_insert", "run"}).database.password, "of-mysql");
  EXPECT_EQ(PlanOf({"oltp_insert", "run", "--pgsql-user=a"}).database.driver, Driver::kPostgresql);
  EXPECT_EQ(PlanOf({"oltp_insert", "run", "--pgsql-user=a", "--mysql-user=b"}).database.driver,
            Driver::kMysql);
}

TEST(ToPlanTest, OptionsOfTheOtherDriverAreSkipped) {
  const Plan plan = PlanOf({"oltp_insert", "run", "--db-driver=pgsql", "--mysql-ignore-errors=all",
                            "--mysql_storage_engine=myisam", "--mysql-compression=on"});
  EXPECT_FALSE(plan.run.ignore_errors.all);
}

TEST(ToPlanTest, SeedPercentilesAndErrors) {
  const Plan plan = PlanOf({"oltp_insert", "run", "--rand-seed=5", "--percentile=50,99",
                            "--mysql-ignore-errors=1062,2013", "--events=100", "--time=0"});
  EXPECT_EQ(plan.run.seed, 5u);
  EXPECT_THAT(plan.report.percentiles, ElementsAre(50, 99));
  EXPECT_THAT(plan.run.ignore_errors.codes, ElementsAre("1062", "2013"));
  EXPECT_EQ(plan.run.events, 100);
  EXPECT_EQ(plan.run.time.count(), 0);
}

TEST(ToPlanTest, ForcedShutdown) {
  const auto seconds = [](const std::string& option) {
    return ForcedShutdownSeconds(Command({"oltp_insert", "run", "--time=200", option}).options);
  };
  EXPECT_EQ(seconds("--forced-shutdown"), 10);
  EXPECT_EQ(seconds("--forced-shutdown=30"), 30);
  EXPECT_EQ(seconds("--forced-shutdown=50%"), 100);
  EXPECT_EQ(seconds("--forced-shutdown=off"), std::nullopt);
}

TEST(ToPlanTest, BulkInsertHasTablesOfItsOwn) {
  for (const std::string command : {"prepare", "run"}) {
    const Plan plan = PlanOf({"bulk_insert", command, "--threads=3", "--table_size=5"});
    EXPECT_EQ(plan.dataset.schema, DatasetSchema::kBulkInsert);
    EXPECT_EQ(plan.dataset.tables, 3);
  }
}

TEST(ToPlanTest, DistributionOfRowsAndOfStatements) {
  const Arguments options = {"--rand-type=pareto", "--rand-pareto-h=0.3"};
  const auto plan = [&](const std::string& command) {
    return PlanOf({"oltp_read_only", command, options[0], options[1]});
  };
  EXPECT_EQ(plan("prepare").dataset.random.type, RandType::kPareto);
  EXPECT_EQ(plan("prepare").dataset.random.pareto_h, 0.3);
  EXPECT_EQ(plan("run").dataset.random.type, RandType::kUniform);
  EXPECT_EQ(plan("run").run.workloads[0].options.random.type, RandType::kPareto);
  EXPECT_EQ(plan("run").run.workloads[0].options.random.pareto_h, 0.3);
}

/// A valid value that is not the default.
std::string OtherValue(const OptionSpec& spec) {
  if (spec.name == "rand-type") return "zipfian";
  if (spec.name == "db-ps-mode") return "disable";
  if (spec.type == OptionType::kBool) return spec.initial == "on" ? "off" : "on";
  if (spec.type == OptionType::kDouble) return "0.5";
  return spec.type == OptionType::kInt ? "7" : "myisam";
}

TEST(ToPlanTest, EveryPlainOptionIsUnderstoodByThePlanOfItsDriver) {
  for (const OptionSpec& spec : SysbenchOptionSpecs()) {
    if (spec.use != OptionUse::kPlain && spec.use != OptionUse::kSeconds) continue;
    const std::string option = fmt::format("--{}={}", spec.name, OtherValue(spec));
    const bool mysql = !IsOfOtherDriver(spec, "mysql");
    const bool yugabytedb = spec.group == OptionGroup::kYugabytedb;
    const std::string driver = mysql && !yugabytedb ? "--db-driver=mysql" : "--db-driver=pgsql";
    for (const std::string command : {"prepare", "run"}) {
      const auto plan = ToPlan(Command({"oltp_read_only", command, driver, option}), kContext);
      EXPECT_TRUE(plan.ok()) << command << option << plan.status();
    }
  }
}

struct TlsCase {
  std::string option;
  TlsPolicy tls;
};

TEST(ToPlanTest, Tls) {
  for (const TlsCase& c :
       {TlsCase{"--mysql-ssl", TlsPolicy::kRequire}, TlsCase{"--mysql-ssl=on", TlsPolicy::kRequire},
        TlsCase{"--mysql-ssl=off", TlsPolicy::kDisable},
        TlsCase{"--mysql-ssl=PREFERRED", TlsPolicy::kPrefer},
        TlsCase{"--pgsql-sslmode=require", TlsPolicy::kRequire},
        TlsCase{"--pgsql-sslmode=disable", TlsPolicy::kDisable}}) {
    EXPECT_EQ(PlanOf({"oltp_insert", "run", c.option}).database.tls, c.tls) << c.option;
  }
}

TEST(ToPlanTest, WhatCannotBeIsNamedByItsOption) {
  EXPECT_EQ(Problem({"oltp_insert", "run", "--db-driver=foo"}),
            "invalid database driver name: 'foo'");
  EXPECT_THAT(Problem({"oltp_insert", "run", "--mysql-socket=/tmp/s"}),
              HasSubstr("--mysql-socket: agents are other machines"));
  EXPECT_THAT(Problem({"oltp_insert", "run", "--mysql-ssl=VERIFY_CA"}),
              HasSubstr("--mysql-ssl: 'VERIFY_CA' is not possible"));
  EXPECT_THAT(Problem({"oltp_insert", "run", "--pgsql-host=/tmp"}), HasSubstr("--pgsql-host: "));
  EXPECT_THAT(Problem({"oltp_insert", "run", "--mysql-compression"}),
              HasSubstr("--mysql-compression: "));
  EXPECT_THAT(Problem({"oltp_insert", "run", "--tables=0"}), HasSubstr("--tables: "));
  EXPECT_THAT(Problem({"oltp_insert", "run", "--time=0"}), HasSubstr("--time: neither time nor"));
  EXPECT_THAT(Problem({"oltp_insert", "run", "--agents=a:1,b:2"}), HasSubstr("2 agents"));
}

TEST(ToPlanTest, PrintedPlanReadsBackAsTheSame) {
  for (const Arguments& arguments : std::vector<Arguments>{
           {"oltp_read_write", "run", "--mysql-password=x y", "--tables=3", "--percentile=99"},
           {"oltp_insert", "prepare", "--pgsql-db=a:b", "--create_table_options=WITH (x=1) # y"},
           {"oltp_delete", "run", "--pgsql-user=u", "--serial_cache_size=5", "--agents=c:1"}}) {
    const std::string yaml = ToYaml(PlanOf(arguments));
    const PlanOrErrors again = ParsePlan(yaml, "plan.yaml", ".", {});
    ASSERT_TRUE(std::holds_alternative<Plan>(again)) << yaml;
    EXPECT_EQ(ToYaml(std::get<Plan>(again)), yaml);
    EXPECT_THAT(yaml, testing::Not(HasSubstr("x y")));
  }
}

}  // namespace
}  // namespace sysfleet
