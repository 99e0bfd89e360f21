#include "coordinator/cli/check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <string_view>

namespace sysfleet {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The plan behind the page on TDStore.
Plan ReferencePlan() {
  Plan plan;
  plan.name = "tdstore-sysbench";
  plan.agents = {{"client-1", 7070}, {"client-2", 7070}, {"client-3", 7070}};
  plan.database.driver = Driver::kMysql;
  plan.database.flavor = Flavor::kTdstore;
  plan.database.nodes = {{"db-1", 3306}, {"db-2", 3306}, {"db-3", 3306}};
  plan.database.password = "secret";
  plan.dataset.tables = 32;
  plan.dataset.table_size = 10'000'000;
  plan.dataset.auto_inc = false;
  plan.load.threads = 256;
  for (const char* name : {"oltp_point_select", "oltp_read_only", "oltp_update_index",
                           "oltp_update_non_index", "oltp_write_only", "oltp_read_write"}) {
    plan.run.workloads.push_back({.use = name, .label = name, .options = {}});
  }
  plan.run.threads = {32, 64, 128, 256, 512, 1024};
  plan.run.time = std::chrono::seconds(600);
  return plan;
}

std::string Rendered(const Plan& plan) {
  const auto text = RenderCheck(plan, MakeSchedule(plan), "name: x\n");
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

// The first line that holds `part`, with runs of spaces made one.
std::string LineWith(const std::string& text, std::string_view part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) == std::string::npos) continue;
    std::istringstream words(line);
    std::string squeezed;
    for (std::string word; words >> word;) squeezed += (squeezed.empty() ? "" : " ") + word;
    return squeezed;
  }
  return "no line with " + std::string(part);
}

TEST(CheckTest, HeadSaysHowLongItTakes) {
  struct Case {
    int warmup_s;
    int time_s;
    int64_t events;
    const char* head;
  };
  const Case cases[] = {
      // 36 x 602 s = 21,672 s, 36 x (5 + 603 + 2) s = 21,960 s.
      {0, 600, 0, "36 cells, about 6 h 1 min (load not counted)"},
      {5, 603, 0, "36 cells, about 6 h 6 min (load not counted)"},
      {0, 1, 0, "36 cells, about 1 min 48 s (load not counted)"},
      {0, 600, 5000, "36 cells, at most 6 h 1 min (load not counted)"},
      {0, 0, 5000, "36 cells, each as long as its 5,000 events take (load not counted)"},
  };
  for (const Case& c : cases) {
    Plan plan = ReferencePlan();
    plan.run.warmup_time = std::chrono::seconds(c.warmup_s);
    plan.run.time = std::chrono::seconds(c.time_s);
    plan.run.events = c.events;
    EXPECT_THAT(Rendered(plan), StartsWith(fmt::format("tdstore-sysbench  {}\n", c.head)));
  }
}

TEST(CheckTest, TellsTheFacts) {
  EXPECT_THAT(
      Rendered(ReferencePlan()),
      HasSubstr(
          "data set   32 tables x 10,000,000 rows, assigned ids, index k_N on k, seed 1\n"
          "load       32,000 chunks of 10,000 rows, taken by 256 connections as they get free\n"
          "           first sbtest1 rows 1 to 10,000, last sbtest32 rows 9,990,001 to "
          "10,000,000\n"
          "agents     client-1:7070, client-2:7070, client-3:7070\n"
          "database   tdstore (driver mysql), TLS prefer, database sbtest, user sbtest\n"
          "nodes      db-1:3306, db-2:3306, db-3:3306\n"));
}

TEST(CheckTest, TellsTheFactsOfASmallPlan) {
  Plan plan = ReferencePlan();
  plan.agents.clear();
  plan.dataset.tables = 1;
  plan.dataset.table_size = 25'000;
  plan.dataset.create_secondary = false;
  plan.dataset.auto_inc = true;
  plan.load.threads = 1;
  const std::string text = Rendered(plan);
  EXPECT_THAT(text, HasSubstr("1 table x 25,000 rows, generated ids, no index on k, seed 1\n"));
  EXPECT_THAT(text, HasSubstr("3 chunks of up to 10,000 rows, taken by 1 connection as they"));
  EXPECT_THAT(text, HasSubstr("last sbtest1 rows 20,001 to 25,000\n"));
  EXPECT_THAT(text, HasSubstr("agents     one on this machine, started for the run\n"));
}

TEST(CheckTest, TellsWhatIsUnusualOfADataSet) {
  Plan plan = ReferencePlan();
  plan.dataset.id_type = IdType::kInt64;
  plan.dataset.index = IndexTime::kBefore;
  plan.dataset.random.type = RandType::kZipfian;
  EXPECT_THAT(Rendered(plan),
              HasSubstr("data set   32 tables x 10,000,000 rows, assigned 64-bit ids, index k_N on "
                        "k made before the rows, k zipfian, seed 1\n"));
  plan = ReferencePlan();
  plan.dataset.schema = DatasetSchema::kBulkInsert;
  plan.dataset.table_size = 0;
  plan.run.workloads = {{.use = "bulk_insert", .label = "bulk_insert"}};
  EXPECT_THAT(Rendered(plan),
              HasSubstr("data set   32 tables of schema bulk_insert, made new and left empty\n"
                        "load       none\n"));
}

TEST(CheckTest, ShowsEveryCellWithItsSplit) {
  const Plan plan = ReferencePlan();
  const std::string text = Rendered(plan);
  const auto seed = [&](int cell) { return fmt::format("{:016x}", CellSeed(1, cell)); };

  EXPECT_EQ(LineWith(text, "  cell  workload"),
            "cell workload threads client-1 client-2 client-3 db-1 db-2 db-3 time seed");
  EXPECT_EQ(LineWith(text, seed(1)), "1 oltp_point_select 32 11 11 10 11 11 10 600 s " + seed(1));
  EXPECT_EQ(LineWith(text, seed(36)),
            "36 oltp_read_write 1,024 342 341 341 342 341 341 600 s " + seed(36));
  EXPECT_THAT(text, HasSubstr("client-2  342 to 682     114   114   113\n"));
  EXPECT_THAT(text, HasSubstr("256 to load  client-1  0 to 85         29    29    28\n"));
}

TEST(CheckTest, WarmUpAndEventsHaveTheirPlace) {
  Plan plan = ReferencePlan();
  plan.run.warmup_time = std::chrono::seconds(1300);
  plan.run.events = 70'000;
  const std::string text = Rendered(plan);
  EXPECT_THAT(LineWith(text, "  cell  workload"), EndsWith("db-3 warm-up time seed"));
  EXPECT_THAT(LineWith(text, fmt::format("{:016x}", CellSeed(1, 1))),
              HasSubstr("10 1,300 s 600 s or 70,000 events"));
}

TEST(CheckTest, PortsTellAgentsOfOneHostApart) {
  Plan plan = ReferencePlan();
  plan.agents = {{"127.0.0.1", 7071}, {"127.0.0.1", 7072}};
  EXPECT_THAT(LineWith(Rendered(plan), "  cell  workload"),
              HasSubstr("threads 127.0.0.1:7071 127.0.0.1:7072 db-1"));
}

TEST(CheckTest, ManyAgentsAndNodesAreRanges) {
  Plan plan = ReferencePlan();
  plan.agents.clear();
  plan.database.nodes.clear();
  for (int i = 1; i <= 12; ++i) plan.agents.push_back({fmt::format("c{}", i), 7070});
  for (int i = 1; i <= 9; ++i) plan.database.nodes.push_back({fmt::format("d{}", i), 3306});
  const std::string text = Rendered(plan);

  EXPECT_EQ(LineWith(text, "  cell  workload"),
            "cell workload threads each agent each node time seed");
  // 32 over 12 agents: 8 with 3, 4 with 2; over 9 nodes: 5 with 4, 4 with 3.
  EXPECT_THAT(LineWith(text, fmt::format("{:016x}", CellSeed(1, 1))),
              HasSubstr("32 2 to 3 3 to 4 600 s"));
  EXPECT_EQ(LineWith(text, "8 agents, c1 to c8"), "32 8 agents, c1 to c8 0 to 23: 3 each 0 to 1");
  EXPECT_EQ(LineWith(text, "4 agents, c9 to c12"), "4 agents, c9 to c12 24 to 31: 2 each 0 to 1");
  // 256 = 12 x 21 + 4.
  EXPECT_EQ(LineWith(text, "256 to load"),
            "256 to load 4 agents, c1 to c4 0 to 87: 22 each 2 to 3");
}

TEST(CheckTest, NoLineOfAWideFleetIsLong) {
  Plan plan = ReferencePlan();
  plan.agents.clear();
  for (int i = 1; i <= 100; ++i) {
    plan.agents.push_back({fmt::format("client-{}.example", i), 7070});
  }
  const std::string text = Rendered(plan);
  const std::string tables = text.substr(text.find("  cell  workload"),
                                         text.find("data set, table") - text.find("  cell"));
  std::istringstream lines(tables);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
}

TEST(CheckTest, ShowsSqlAndPlan) {
  Plan plan = ReferencePlan();
  plan.database.driver = Driver::kPostgresql;
  plan.database.flavor = Flavor::kYugabytedb;
  plan.dataset.auto_inc = true;
  plan.dataset.serial_cache_size = 1000;
  const std::string text = Rendered(plan);

  EXPECT_THAT(text, HasSubstr("data set, table 1 of 32\n    CREATE TABLE sbtest1(id SERIAL, "));
  EXPECT_THAT(text, HasSubstr("    ALTER SEQUENCE sbtest1_id_seq CACHE 1000\n"
                              "    CREATE INDEX k_1 ON sbtest1(k)\n"
                              "    SELECT setval('sbtest1_id_seq', 10000000)\n"));
  EXPECT_THAT(text, HasSubstr("oltp_point_select, one transaction: 1 statement\n"
                              "    1 x  SELECT c FROM sbtest{table} WHERE id=$1  table, id\n"));
  EXPECT_THAT(text, HasSubstr("oltp_read_write, one transaction: 20 statements\n"));
  EXPECT_THAT(text, EndsWith("# the plan with every default\nname: x\n"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST(CheckTest, FailsWhereAWorkloadCannotRun) {
  Plan plan = ReferencePlan();
  plan.run.workloads[2].options.index_updates = 0;
  const auto text = RenderCheck(plan, MakeSchedule(plan), "");
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(std::string(text.status().message()),
              AllOf(HasSubstr("oltp_update_index"), HasSubstr("no statement to execute")));
}

}  // namespace
}  // namespace sysfleet
