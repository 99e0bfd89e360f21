#include "coordinator/run/orders.h"

#include <gtest/gtest.h>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

TEST(Orders, CarryTheAgentsShareAndThePlansLimits) {
  Plan plan;
  plan.database.driver = Driver::kMysql;
  plan.database.nodes = {{"n1", 3306}, {"n2", 3307}};
  plan.database.name = "db";
  plan.database.user = "u";
  plan.database.password = "p";
  plan.database.tls = TlsPolicy::kRequire;
  plan.run.warmup_time = std::chrono::seconds(3);
  plan.run.arrivals = ArrivalProcess::kEven;
  plan.run.events = 70;
  plan.run.ignore_errors = {.all = false, .codes = {"1213", "1205"}};
  plan.run.thread_init_timeout = std::chrono::seconds(90);
  v1::Workload workload;
  workload.set_name("w");
  const Cell cell{
      .number = 4, .threads = 10, .rate_per_s = 25, .time = std::chrono::minutes(2), .seed = 99};
  const AgentShare share{.first_connection = 4, .connections = 3};

  const v1::CoordinatorMessage message = ArmOrder(plan, workload, cell, share, 1234);
  const v1::Arm& arm = message.arm();
  EXPECT_EQ(arm.cell(), 4U);
  EXPECT_EQ(arm.workload().name(), "w");
  EXPECT_EQ(arm.database().driver(), v1::DRIVER_MYSQL);
  EXPECT_EQ(arm.database().nodes(1).port(), 3307U);
  EXPECT_EQ(arm.database().tls(), v1::TLS_MODE_REQUIRE);
  EXPECT_EQ(arm.connections(), 3U);
  EXPECT_EQ(arm.first_connection(), 4U);
  EXPECT_EQ(arm.fleet_connections(), 10U);
  EXPECT_EQ(arm.seed(), 99U);
  EXPECT_EQ(arm.unique_base(), 1234U);
  EXPECT_EQ(arm.warmup_windows(), 3U);
  EXPECT_EQ(arm.measured_windows(), 120U);
  EXPECT_EQ(arm.rate_per_s(), 25);
  EXPECT_EQ(arm.arrivals(), v1::ARRIVALS_EVEN);
  EXPECT_EQ(arm.transactions_limit(), 70U);
  EXPECT_EQ(arm.error_policy().retry_codes_size(), 2);
  EXPECT_EQ(arm.connect_timeout_ms(), 90'000U);

  const v1::CoordinatorMessage tasks = OpenTasksOrder(plan, share);
  EXPECT_EQ(tasks.open_tasks().connections(), 3U);
  EXPECT_EQ(tasks.open_tasks().first_connection(), 4U);
  EXPECT_EQ(tasks.open_tasks().database().password(), "p");
}

TEST(Orders, LetAgentsCountChangesOnlyForAnAudit) {
  v1::Workload workload;
  workload.add_statements()->set_effect(v1::EFFECT_INCREMENT_K);
  for (const bool audit : {false, true}) {
    Plan plan;
    plan.run.audit = audit;
    const v1::CoordinatorMessage message = ArmOrder(plan, workload, {}, {}, 0);
    EXPECT_EQ(message.arm().workload().statements(0).effect(),
              audit ? v1::EFFECT_INCREMENT_K : v1::EFFECT_NONE);
  }
}

}  // namespace
}  // namespace sysfleet
