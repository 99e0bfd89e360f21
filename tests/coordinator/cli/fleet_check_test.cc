#include "coordinator/cli/fleet_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sysfleet {
namespace {

using testing::HasSubstr;
using testing::Not;

Plan PlanOf(std::vector<std::string> workloads, std::vector<int> threads) {
  Plan plan;
  plan.database.driver = Driver::kMysql;
  for (const std::string& name : workloads) {
    plan.run.workloads.push_back({.use = "oltp_point_select", .label = name, .options = {}});
  }
  plan.run.threads = std::move(threads);
  return plan;
}

FleetAgent Agent(const std::string& host, int cores, int reactors) {
  return {.endpoint = {host, 7070},
          .host = host,
          .version = "0.1.0",
          .cores = cores,
          .reactors = reactors,
          .round_trip_ns = 250'000};
}

// 100,000 QPS a core with the MySQL family, however many connections there are.
FleetAgent Calibrated(FleetAgent agent) {
  agent.postgresql_rates = {{64, 500'000}};
  agent.mysql_rates = {{64, 100'000}, {1024, 100'000}};
  return agent;
}

TEST(FleetCheckTest, ShowsAgentsAndTheCoresThatTheReferenceNeeds) {
  const std::vector<FleetAgent> agents = {Calibrated(Agent("c-1", 1, 1)), Agent("c-22", 2, 1)};
  // A core counts as full at 90,000 QPS.
  const std::vector<ReferenceRow> reference = {
      {.workload = "reads", .threads = 32, .tps = 1, .qps = 200'000},
      {.workload = "reads", .threads = 1024, .tps = 1, .qps = 333'089},
      {.workload = "writes", .threads = 32, .tps = 1, .qps = 180'000},
      {.workload = "small", .threads = 32, .tps = 1, .qps = 90'000}};
  EXPECT_EQ(
      RenderFleetCheck(PlanOf({"reads", "writes", "small", "other"}, {32, 1024}), agents,
                       reference),
      "agents, as they answered\n"
      "  agent      host  version  cores  reactors  round trip  QPS per core\n"
      "  c-1:7070   c-1   0.1.0        1         1     0.25 ms  100,000\n"
      "  c-22:7070  c-22  0.1.0        2         1     0.25 ms  not calibrated: run `agent "
      "calibrate` there\n"
      "  QPS per core: point selects, driver mysql, 1,024 connections over the 2 cores of the "
      "fleet\n"
      "\n"
      "client cores for the reference's QPS\n"
      "  workload  needs\n"
      "  reads     333 k QPS needs about 4 cores; the fleet has 2\n"
      "  writes    180 k QPS needs about 2 cores\n"
      "  small     90 k QPS needs about 1 core\n"
      "  Machines that are not calibrated count as the others do.\n"
      "  Not enough for reads: what is measured there may be the clients' limit.\n");
}

TEST(FleetCheckTest, TakesTheReferencesRowsThatThePlanRuns) {
  const std::vector<FleetAgent> agents = {Calibrated(Agent("c", 8, 8))};
  const std::vector<ReferenceRow> reference = {
      {.workload = "w", .threads = 64, .tps = 1, .qps = 2'600},
      {.workload = "w", .threads = 128, .tps = 1, .qps = 100'000}};
  EXPECT_THAT(RenderFleetCheck(PlanOf({"w"}, {64}), agents, reference),
              HasSubstr("w         2.6 k QPS needs about 1 core\n"));
  // A row without threads is for any.
  EXPECT_THAT(RenderFleetCheck(PlanOf({"w"}, {7}), agents,
                               {{.workload = "w", .threads = 0, .tps = 1, .qps = 1'250'000}}),
              HasSubstr("w         1.25 M QPS needs about 14 cores; the fleet has 8\n"));
  EXPECT_THAT(RenderFleetCheck(PlanOf({"w"}, {7}), agents, reference), Not(HasSubstr("needs")));
  EXPECT_THAT(RenderFleetCheck(PlanOf({"w"}, {64}), agents, {{"w", 64, 5, 0, 0}}),
              Not(HasSubstr("needs")));
}

TEST(FleetCheckTest, SaysThatNothingIsKnownWithoutACalibration) {
  FleetAgent agent = Calibrated(Agent("c", 8, 8));
  agent.mysql_rates.clear();
  const std::string text =
      RenderFleetCheck(PlanOf({"w"}, {64}), std::vector{agent}, {{"w", 64, 5, 259, 0}});
  EXPECT_THAT(text, HasSubstr("not calibrated: run `agent calibrate` there\n"
                              "\n"
                              "client cores for the reference's QPS\n"
                              "  unknown, because no agent is calibrated\n"));
}

TEST(FleetCheckTest, AgentsOfOneMachineShareItsCores) {
  const struct {
    std::vector<FleetAgent> agents;
    const char* cores;
  } cases[] = {
      {{Agent("a", 8, 8)}, "8 cores of"},
      {{Agent("a", 8, 2)}, "2 cores of"},
      {{Agent("a", 8, 2), Agent("a", 8, 3)}, "5 cores of"},
      {{Agent("a", 8, 8), Agent("a", 8, 8)}, "8 cores of"},
      {{Agent("a", 1, 4)}, "1 core of"},
      {{Agent("a", 8, 8), Agent("b", 4, 4)}, "12 cores of"},
  };
  for (auto c : cases) {
    c.agents.back() = Calibrated(c.agents.back());
    EXPECT_THAT(RenderFleetCheck(PlanOf({}, {64}), c.agents, {}), HasSubstr(c.cores));
  }
}

}  // namespace
}  // namespace sysfleet
