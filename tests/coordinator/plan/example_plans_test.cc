// The plans that come with the project.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/coordinator/plan/plan_text.h"

namespace sysfleet {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

Plan Example(const std::string& path) {
  const PlanOrErrors result = ReadPlan(path, {});
  EXPECT_EQ(ErrorsOf(result), "");
  return std::holds_alternative<Plan>(result) ? std::get<Plan>(result) : Plan{};
}

TEST(ExamplePlans, Tdstore) {
  setenv("DB_PASSWORD", "pw", 1);
  const Plan plan = Example("deploy/plans/tdstore-sysbench.yaml");
  EXPECT_EQ(plan.name, "tdstore-sysbench");
  EXPECT_EQ(plan.fleet_size(), 3);
  EXPECT_EQ(plan.database.driver, Driver::kMysql);
  EXPECT_EQ(plan.database.password, "pw");
  EXPECT_THAT(plan.database.before_run,
              ElementsAre("set persist max_prepared_stmt_count = 1000000"));
  EXPECT_EQ(plan.dataset.tables, 32);
  EXPECT_EQ(plan.dataset.table_size, 10'000'000);
  EXPECT_FALSE(plan.dataset.auto_inc);
  EXPECT_EQ(plan.load.threads, 256);
  EXPECT_EQ(plan.run.workloads.size() * plan.run.threads.size(), 36U);
  EXPECT_THAT(plan.run.threads, ElementsAre(32, 64, 128, 256, 512, 1024));
  EXPECT_EQ(plan.run.time, seconds(600));
  EXPECT_TRUE(plan.run.ignore_errors.all);
  EXPECT_EQ(plan.report.reference, "deploy/reference/tdstore-v20.0.0.csv");
}

TEST(ExamplePlans, TdstoreWantsItsPassword) {
  unsetenv("DB_PASSWORD");
  EXPECT_EQ(ErrorsOf(ReadPlan("deploy/plans/tdstore-sysbench.yaml", {})),
            "deploy/plans/tdstore-sysbench.yaml:8:13: database.password: environment variable "
            "'DB_PASSWORD' is not set; export it first\n");
}

TEST(ExamplePlans, OwnWorkloads) {
  setenv("DB_PASSWORD", "pw", 1);
  EXPECT_EQ(Example("deploy/plans/bank-transfer.yaml").tables.size(), 2U);
  EXPECT_EQ(Example("deploy/plans/key-value.yaml").workloads.size(), 1U);
  EXPECT_EQ(Example("deploy/plans/order-mix.yaml").workloads.at(0)->transactions.size(), 5U);
}

TEST(ExamplePlans, Yugabytedb) {
  const Plan plan = Example("deploy/plans/yugabytedb-sysbench.yaml");
  EXPECT_EQ(plan.database.flavor, Flavor::kYugabytedb);
  EXPECT_EQ(plan.database.tls, TlsPolicy::kRequire);
  EXPECT_EQ(plan.fleet_size(), 1);
  EXPECT_EQ(plan.dataset.tables, 20);
  EXPECT_EQ(plan.dataset.serial_cache_size, 1000);
  ASSERT_EQ(plan.run.workloads.size(), 2U);
  EXPECT_EQ(plan.run.workloads[0].options.index_updates, 10);
  EXPECT_FALSE(plan.run.workloads[0].options.range_selects);
  EXPECT_EQ(plan.run.workloads[1].use, "oltp_multi_insert");
  EXPECT_THAT(plan.run.threads, ElementsAre(60));
  EXPECT_EQ(plan.run.warmup_time, seconds(300));
  EXPECT_EQ(plan.run.time, seconds(1800));
}

TEST(ExamplePlans, Quickstart) {
  setenv("SYSFLEET_AGENT_1", "127.0.0.1:7071", 1);
  setenv("SYSFLEET_AGENT_2", "127.0.0.1:7072", 1);
  setenv("SYSFLEET_DB_NODE", "127.0.0.1:54321", 1);
  setenv("SYSFLEET_DB_DRIVER", "mysql", 1);
  setenv("SYSFLEET_DB_PASSWORD", "pw", 1);
  const Plan plan = Example("deploy/plans/quickstart.yaml");
  EXPECT_THAT(plan.agents, ElementsAre(Endpoint{"127.0.0.1", 7071}, Endpoint{"127.0.0.1", 7072}));
  EXPECT_EQ(plan.database.driver, Driver::kMysql);
  EXPECT_THAT(plan.database.nodes, ElementsAre(Endpoint{"127.0.0.1", 54321}));
  EXPECT_EQ(plan.dataset.tables, 4);
  EXPECT_EQ(plan.dataset.table_size, 100'000);
  EXPECT_EQ(plan.run.workloads.size(), 3U);
  EXPECT_THAT(plan.run.threads, ElementsAre(4, 16, 64));
  EXPECT_EQ(plan.run.warmup_time, seconds(1));
  EXPECT_EQ(plan.run.time, seconds(5));
}

}  // namespace
}  // namespace sysfleet
