#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <mutex>

#include "common/base/status.h"
#include "coordinator/prepare/preparer.h"
#include "sysfleet/v1/agent.pb.h"
#include "tests/agent/load/pool_harness.h"
#include "tests/support/database_server.h"
#include "tests/support/subprocess.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kConnectionsPerAgent = 3;

class PrepareServerTest : public testing::TestWithParam<Driver> {
 protected:
  static bool IsPostgresql() { return GetParam() == Driver::kPostgresql; }

  static DatabaseServer& Server() {
    static std::map<Driver, std::unique_ptr<DatabaseServer>> servers;
    std::unique_ptr<DatabaseServer>& server = servers[GetParam()];
    if (!server) {
      auto started = DatabaseServer::Start(IsPostgresql() ? ServerFamily::kPostgresql
                                                          : ServerFamily::kMariadb);
      if (!started.ok()) {
        ADD_FAILURE() << Message(started.status());
        std::abort();
      }
      server = *std::move(started);
    }
    return *server;
  }

  static std::string MustRun(const std::string& sql) {
    const absl::StatusOr<std::string> rows = Server().Run(sql);
    EXPECT_TRUE(rows.ok()) << Message(rows.status());
    return rows.ok() ? *rows : "";
  }

  static Plan SmallPlan() {
    Plan plan;
    plan.database.driver = GetParam();
    plan.database.flavor = IsPostgresql() ? Flavor::kPostgresql : Flavor::kMariadb;
    plan.dataset.tables = 3;
    plan.dataset.table_size = 5'000;
    plan.load.chunk_rows = 700;
    return plan;
  }

  void SetUp() override { Clean(); }

  static void Clean() {
    Plan plan = SmallPlan();
    plan.dataset.tables = 5;
    const auto cleaner = MakeCleaner(plan);
    Drive(*cleaner, 1);
    ASSERT_TRUE(cleaner->status().ok()) << Message(cleaner->status());
  }

  // As many pools of connections as there are agents.
  static void Drive(Preparer& preparer, int agents, int64_t chunks_max = INT64_MAX) {
    const DriverFamily family = IsPostgresql() ? DriverFamily::kPostgresql : DriverFamily::kMysql;
    std::vector<std::unique_ptr<PoolHarness>> pools;
    for (int agent = 0; agent < agents; ++agent) {
      pools.push_back(
          std::make_unique<PoolHarness>(family, OptionsFor(Server()), kConnectionsPerAgent));
      ASSERT_TRUE(pools.back()->Open().ok());
    }
    std::deque<uint64_t> in_flight;
    int64_t chunks = 0;
    while (!preparer.finished() && chunks < chunks_max) {
      while (in_flight.size() < static_cast<size_t>(agents * kConnectionsPerAgent)) {
        const std::optional<v1::Task> task = preparer.NextTask();
        if (!task) break;
        if (task->has_chunk()) ++chunks;
        pools[task->id() % pools.size()]->Submit(*task);
        in_flight.push_back(task->id());
      }
      if (in_flight.empty()) break;
      const uint64_t id = in_flight.front();
      in_flight.pop_front();
      preparer.OnTaskDone(pools[id % pools.size()]->Take(id));
    }
  }

  static std::unique_ptr<Preparer> Prepare(const Plan& plan, int agents,
                                           ExistingData existing = ExistingData::kKeep) {
    auto preparer = MakePreparer(plan, existing);
    Drive(*preparer, agents);
    EXPECT_TRUE(preparer->finished());
    return preparer;
  }

  static void RunSysbench(const Plan& plan) {
    std::vector<std::string> arguments = {"sysbench", "oltp_read_write"};
    for (const std::string& argument : Server().SysbenchArgs()) arguments.push_back(argument);
    arguments.push_back(fmt::format("--tables={}", plan.dataset.tables));
    arguments.push_back(fmt::format("--table-size={}", plan.dataset.table_size));
    arguments.push_back(fmt::format("--auto-inc={}", plan.dataset.auto_inc ? "on" : "off"));
    arguments.push_back("prepare");
    const absl::StatusOr<ProgramOutput> output = RunProgram(arguments);
    ASSERT_TRUE(output.ok()) << Message(output.status());
    ASSERT_EQ(output->exit_code, 0) << output->out << output->err;
  }

  // Everything that a server knows of the tables' structure.
  static std::string Schema() {
    if (!IsPostgresql()) {
      std::string schema;
      for (int table = 1; table <= 3; ++table) {
        schema += MustRun(fmt::format("SHOW CREATE TABLE sbtest{};", table));
      }
      return schema;
    }
    return MustRun(
        "SELECT table_name, column_name, ordinal_position, column_default, is_nullable, data_type, "
        "character_maximum_length FROM information_schema.columns WHERE table_name LIKE 'sbtest%' "
        "ORDER BY 1, 3;"
        "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE tablename LIKE 'sbtest%' "
        "ORDER BY 1, 2;"
        "SELECT sequencename, data_type, start_value, increment_by, cache_size FROM pg_sequences "
        "WHERE sequencename LIKE 'sbtest%' ORDER BY 1;");
  }

  // What the next row would be numbered.
  static std::string NextIds() {
    std::string ids;
    for (int table = 1; table <= 3; ++table) {
      MustRun(fmt::format("INSERT INTO sbtest{} (k) VALUES (1);", table));
      ids += MustRun(fmt::format("SELECT max(id) FROM sbtest{};", table));
    }
    return ids;
  }

  static std::string Rows() {
    std::string rows;
    for (int table = 1; table <= 3; ++table) {
      rows += MustRun(fmt::format("SELECT * FROM sbtest{} ORDER BY id;", table));
    }
    return rows;
  }
};

TEST_P(PrepareServerTest, MakesTheSchemaThatSysbenchMakes) {
  for (const bool auto_inc : {true, false}) {
    Plan plan = SmallPlan();
    plan.dataset.auto_inc = auto_inc;
    Clean();
    RunSysbench(plan);
    const std::string expected = Schema();
    Clean();
    const auto preparer = Prepare(plan, 1);
    ASSERT_TRUE(preparer->status().ok()) << Message(preparer->status());
    EXPECT_EQ(Schema(), expected);
    EXPECT_THAT(expected, HasSubstr("k_3"));
  }
}

TEST_P(PrepareServerTest, LoadsTheSameFromOneAgentAndFromThree) {
  Plan plan = SmallPlan();
  auto preparer = Prepare(plan, 1);
  ASSERT_TRUE(preparer->status().ok()) << Message(preparer->status());
  EXPECT_THAT(preparer->notes(), ElementsAre("sbtest1 to sbtest3: new"));
  EXPECT_THAT(preparer->server_version(),
              StartsWith(IsPostgresql() ? "PostgreSQL 1" : "MariaDB 1"));
  const std::string rows = Rows();
  EXPECT_EQ(NextIds(), "5001\n5001\n5001\n");

  plan.load.chunk_rows = 1'111;
  preparer = Prepare(plan, 3, ExistingData::kRecreate);
  ASSERT_TRUE(preparer->status().ok()) << Message(preparer->status());
  EXPECT_THAT(preparer->notes(), ElementsAre("sbtest1 to sbtest3: dropped and made new"));
  EXPECT_TRUE(Rows() == rows);

  preparer = Prepare(plan, 2);
  ASSERT_TRUE(preparer->status().ok()) << Message(preparer->status());
  EXPECT_THAT(preparer->notes(), ElementsAre("sbtest1 to sbtest3: loaded before, as planned"));
  EXPECT_EQ(preparer->progress().rows_loaded, 0);
}

TEST_P(PrepareServerTest, GoesOnWhereALoadWasInterrupted) {
  Plan plan = SmallPlan();
  ASSERT_TRUE(Prepare(plan, 1)->status().ok());
  const std::string rows = Rows();
  Clean();
  const auto interrupted = MakePreparer(plan, ExistingData::kKeep);
  Drive(*interrupted, 2, /*chunks_max=*/10);
  EXPECT_FALSE(interrupted->finished());

  plan.load.chunk_rows = 300;
  const auto preparer = Prepare(plan, 1);
  ASSERT_TRUE(preparer->status().ok()) << Message(preparer->status());
  const PrepareProgress progress = preparer->progress();
  EXPECT_GT(progress.rows_present, 0);
  EXPECT_EQ(progress.rows_loaded + progress.rows_present, 15'000);
  EXPECT_TRUE(Rows() == rows);
}

TEST_P(PrepareServerTest, TakesWhatSysbenchLoadedOnlyWhereItFits) {
  Plan plan = SmallPlan();
  RunSysbench(plan);
  const std::string rows = Rows();
  auto preparer = Prepare(plan, 1);
  ASSERT_TRUE(preparer->status().ok()) << Message(preparer->status());
  EXPECT_THAT(preparer->notes(), ElementsAre(HasSubstr("not loaded by sysfleet")));
  EXPECT_TRUE(Rows() == rows);

  Clean();
  RunSysbench(plan);
  MustRun("DELETE FROM sbtest2 WHERE id = 17;");
  const std::string other_rows = Rows();
  preparer = Prepare(plan, 1);
  EXPECT_EQ(Message(preparer->status()),
            "sbtest2 has 4,999 rows, the plan wants 5,000, and sysfleet did not load it; "
            "--recreate drops and loads it again");
  EXPECT_TRUE(Rows() == other_rows);

  plan.dataset.auto_inc = false;
  preparer = Prepare(plan, 1);
  EXPECT_THAT(Message(preparer->status()), StartsWith("sbtest1 numbers its rows by itself"));
  plan.dataset.auto_inc = true;
  MustRun(IsPostgresql() ? "DROP INDEX k_1;" : "DROP INDEX k_1 ON sbtest1;");
  preparer = Prepare(plan, 1);
  EXPECT_THAT(Message(preparer->status()), StartsWith("sbtest1 has no index k_1"));
}

TEST_P(PrepareServerTest, NamesTheTableTheRowsAndTheCauseOfAFailure) {
  const Plan plan = SmallPlan();
  const auto interrupted = MakePreparer(plan, ExistingData::kKeep);
  Drive(*interrupted, 1, /*chunks_max=*/1);
  // A row that no record of loading knows of.
  MustRun("INSERT INTO sbtest3 (id, k) VALUES (4901, 1);");
  const auto preparer = Prepare(plan, 1);
  EXPECT_THAT(Message(preparer->status()),
              StartsWith(fmt::format("sbtest3 rows 4,901 to 5,000: database {}: ",
                                     ToString(Server().endpoint()))));
  EXPECT_THAT(Message(preparer->status()), HasSubstr(IsPostgresql() ? "(23505)" : "(1062)"));
}

TEST_P(PrepareServerTest, CleaningLeavesNothing) {
  const Plan plan = SmallPlan();
  ASSERT_TRUE(Prepare(plan, 1)->status().ok());
  const auto cleaner = MakeCleaner(plan);
  Drive(*cleaner, 1);
  ASSERT_TRUE(cleaner->status().ok()) << Message(cleaner->status());
  EXPECT_THAT(cleaner->notes(), ElementsAre("sbtest1 to sbtest3: dropped"));
  EXPECT_EQ(MustRun(IsPostgresql()
                        ? "SELECT count(*) FROM pg_tables WHERE schemaname = 'public';"
                        : "SELECT count(*) FROM information_schema.tables WHERE table_schema = "
                          "'sbtest';"),
            "0\n");
}

INSTANTIATE_TEST_SUITE_P(Families, PrepareServerTest,
                         testing::Values(Driver::kPostgresql, Driver::kMysql),
                         [](const auto& test) {
                           return test.param == Driver::kPostgresql ? "Postgresql" : "Mysql";
                         });

}  // namespace
}  // namespace sysfleet
