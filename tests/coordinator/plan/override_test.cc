#include "coordinator/plan/override.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/coordinator/plan/plan_text.h"

namespace sysfleet {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr std::string_view kPlan =
    "database: {driver: mysql, nodes: db-1}\n"
    "run: {workloads: oltp_read_write, threads: [1, 2], time: ten}\n";

TEST(Override, ReplacesAndAdds) {
  const Plan plan =
      PlanOf(kPlan, {"run.time=5s", "database.nodes=[a:1,b:2]",
                     "run.workloads=[oltp_insert, {use: oltp_delete, label: d}]",
                     "dataset.table-size=1k", "report={percentiles: [50, 99]}", "run.threads=3",
                     "run.threads=4", "database.password=", "run.point_selects=2"});
  EXPECT_EQ(plan.run.time, seconds(5));
  EXPECT_THAT(plan.database.nodes, ElementsAre(Endpoint{"a", 1}, Endpoint{"b", 2}));
  ASSERT_EQ(plan.run.workloads.size(), 2U);
  EXPECT_EQ(plan.run.workloads[0].use, "oltp_insert");
  EXPECT_EQ(plan.run.workloads[0].options.point_selects, 2);
  EXPECT_EQ(plan.run.workloads[1].label, "d");
  EXPECT_EQ(plan.dataset.table_size, 1'000);
  EXPECT_THAT(plan.report.percentiles, ElementsAre(50, 99));
  EXPECT_THAT(plan.run.threads, ElementsAre(4));
  EXPECT_EQ(plan.database.password, "");
}

TEST(Override, MayHoldAnEqualsSign) {
  EXPECT_THAT(
      PlanOf(kPlan, {"run.time=1s", "database.before_run=set global x = 1"}).database.before_run,
      ElementsAre("set global x = 1"));
}

TEST(Override, FillsASectionThatIsEmpty) {
  const Plan plan = PlanOf(std::string(kMysql) + "dataset:\n", {"dataset.tables=3"});
  EXPECT_EQ(plan.dataset.tables, 3);
}

TEST(Override, IsNamedByItsErrors) {
  const std::pair<std::string, std::string> cases[] = {
      {"run.time=x",
       "--set run.time=x: run.time: expected a duration such as 600s or 10m, got 'x'\n"},
      {"run.tmie=5s", "--set run.tmie=5s: run.tmie: unknown key; did you mean 'time'?\n"},
      {"run.threads=[4, 0]",
       "--set run.threads=[4, 0]: run.threads: expected a whole number from 1 to 1,000,000, got "
       "'0'\n"},
      {"run.threads.x=1",
       "--set run.threads.x=1: run.threads.x: 'run.threads' has no keys below it; set it as a "
       "whole\n"},
      {"load={threads: 1, threads: 2}",
       "--set load={threads: 1, threads: 2}: load.threads: key is there twice\n"},
      {"load.threads=",
       "--set load.threads=: load.threads: expected a whole number from 1 to "
       "1,000,000, got ''\n"},
      {"load.threads=~",
       "--set load.threads=~: load.threads: expected a whole number from 1 to "
       "1,000,000, got nothing\n"},
      {"run.time={a",
       "--set run.time={a: run.time: YAML: expected a plain word as a key; is a bracket not "
       "closed?\n"},
      {"run.time", "--set run.time: expected KEY=VALUE, as in run.time=5s\n"},
      {"=5", "--set =5: expected KEY=VALUE, as in run.time=5s\n"},
      {"run..time=5", "--set run..time=5: expected KEY=VALUE, as in run.time=5s\n"},
      {".run=5", "--set .run=5: expected KEY=VALUE, as in run.time=5s\n"},
      {"", "--set : expected KEY=VALUE, as in run.time=5s\n"},
  };
  const std::string plan = std::string(kMysql) + "run: {workloads: oltp_insert, threads: 1}\n";
  for (const auto& [text, errors] : cases) {
    EXPECT_EQ(ErrorsOf(ParseText(plan, {text})), errors) << text;
  }
}

TEST(Override, ShowsNoPassword) {
  EXPECT_EQ(ErrorsOf(ParseText(kMysql, {"database.pasword=hunter2"})),
            "--set database.pasword: database.pasword: unknown key; did you mean 'password'?\n");
  EXPECT_EQ(ErrorsOf(ParseText(kMysql, {"database.password=[hunter2]"})),
            "--set database.password: database.password: expected a text, got a list\n");
}

}  // namespace
}  // namespace sysfleet
