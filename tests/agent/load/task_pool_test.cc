#include "agent/load/task_pool.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "common/base/status.h"
#include "sysfleet/v1/agent.pb.h"
#include "tests/agent/load/pool_harness.h"
#include "tests/agent/load/table_data.h"

namespace sysfleet {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kSchema =
    "(id INT NOT NULL PRIMARY KEY, k INT NOT NULL, c VARCHAR(120) NOT NULL, pad VARCHAR(60) NOT "
    "NULL)";

absl::StatusCode CodeOf(const v1::TaskDone& done) {
  return static_cast<absl::StatusCode>(done.error().code());
}

class TaskPoolTest : public testing::TestWithParam<DriverFamily> {
 protected:
  static bool IsPostgresql() { return GetParam() == DriverFamily::kPostgresql; }

  static v1::LoadMethod LinesMethod() {
    return IsPostgresql() ? v1::LOAD_METHOD_COPY : v1::LOAD_METHOD_LOCAL_INFILE;
  }

  static std::unique_ptr<DatabaseServer> StartServer() {
    auto started =
        DatabaseServer::Start(IsPostgresql() ? ServerFamily::kPostgresql : ServerFamily::kMariadb);
    EXPECT_TRUE(started.ok()) << Message(started.status());
    return started.ok() ? *std::move(started) : nullptr;
  }

  // Shared by the tests that leave it running.
  static DatabaseServer& Server() {
    static std::map<DriverFamily, std::unique_ptr<DatabaseServer>> servers;
    std::unique_ptr<DatabaseServer>& server = servers[GetParam()];
    if (!server) server = StartServer();
    return *server;
  }

  static std::string MustRun(const DatabaseServer& server, const std::string& sql) {
    const absl::StatusOr<std::string> rows = server.Run(sql);
    EXPECT_TRUE(rows.ok()) << Message(rows.status());
    return rows.ok() ? *rows : "";
  }

  static void MakeTables(const DatabaseServer& server) {
    MustRun(server, fmt::format("DROP TABLE IF EXISTS t; DROP TABLE IF EXISTS finished; CREATE "
                                "TABLE t {}; CREATE TABLE finished (first INT PRIMARY KEY);",
                                kSchema));
  }

  static std::string Finished(int64_t first) {
    return fmt::format("INSERT INTO finished VALUES ({})", first);
  }

  // A statement that does not end by itself.
  static std::string SleepSql() {
    return IsPostgresql() ? "SELECT pg_sleep(1000)" : "SELECT sleep(1000)";
  }
  static void WaitUntilAsleep(const DatabaseServer& server, const std::string& session) {
    const std::string asleep =
        IsPostgresql()
            ? "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state "
              "= 'active' AND pid = " +
                  session + ";"
            : "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT "
              "sleep%' AND id = " +
                  session + ";";
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (MustRun(server, asleep) != "1\n") {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    }
  }
  static std::string SessionSql() {
    return IsPostgresql() ? "SELECT pg_backend_pid()" : "SELECT connection_id()";
  }
  static void Kill(const DatabaseServer& server, const std::string& session) {
    MustRun(server, IsPostgresql() ? "SELECT pg_terminate_backend(" + session + ");"
                                   : "KILL CONNECTION " + session + ";");
  }
};

TEST_P(TaskPoolTest, RunsAScriptAndReturnsTheLastRows) {
  PoolHarness pool(GetParam(), OptionsFor(Server()), 1);
  ASSERT_TRUE(pool.Open().ok());
  const v1::TaskDone done =
      pool.Run(ScriptTask(7, {"SELECT 5", "SELECT 1, NULL, 'x' UNION ALL SELECT 2, 'y', ''",
                              "DROP TABLE IF EXISTS nothing"}));
  EXPECT_EQ(CodeOf(done), absl::StatusCode::kOk) << done.error().message();
  EXPECT_EQ(done.id(), 7u);
  ASSERT_EQ(done.rows_size(), 2);
  EXPECT_EQ(done.rows(0).fields(0).text(), "1");
  EXPECT_FALSE(done.rows(0).fields(1).has_text());
  EXPECT_EQ(done.rows(1).fields(1).text(), "y");
  EXPECT_TRUE(done.rows(1).fields(2).has_text());
}

TEST_P(TaskPoolTest, AScriptStopsAtItsFirstError) {
  PoolHarness pool(GetParam(), OptionsFor(Server()), 1);
  ASSERT_TRUE(pool.Open().ok());
  MakeTables(Server());
  const v1::TaskDone done = pool.Run(
      ScriptTask(1, {"BEGIN", Finished(1), "SELECT * FROM missing", Finished(2), "COMMIT"}));
  EXPECT_EQ(CodeOf(done), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(done.error().message(), StartsWith(fmt::format("database {}: SELECT * FROM missing: ",
                                                             ToString(Server().endpoint()))));
  EXPECT_THAT(done.error().message(), HasSubstr(IsPostgresql() ? "(42P01)" : "(1146)"));
  // Rolled back, on a connection that still works.
  const v1::TaskDone after = pool.Run(ScriptTask(2, {"SELECT count(*) FROM finished"}));
  EXPECT_EQ(after.rows(0).fields(0).text(), "0");
}

TEST_P(TaskPoolTest, LoadsTheSameByAnyMethodInAnyChunks) {
  std::string expected;
  for (const v1::LoadMethod method : {LinesMethod(), v1::LOAD_METHOD_INSERT}) {
    for (const int64_t chunk_rows : {30'000, 700}) {
      MakeTables(Server());
      PoolHarness pool(GetParam(), OptionsFor(Server()), 4);
      ASSERT_TRUE(pool.Open().ok());
      const v1::TableData table = RowsOf("t", method);
      for (int64_t first = 1; first <= 30'000; first += chunk_rows) {
        const int64_t last = std::min<int64_t>(first + chunk_rows - 1, 30'000);
        pool.Submit(ChunkTask(static_cast<uint64_t>(first), table, first, last, Finished(first)));
      }
      for (int64_t first = 1; first <= 30'000; first += chunk_rows) {
        const v1::TaskDone done = pool.Take(static_cast<uint64_t>(first));
        EXPECT_EQ(CodeOf(done), absl::StatusCode::kOk) << done.error().message();
        EXPECT_EQ(done.rows_loaded(), std::min<uint64_t>(static_cast<uint64_t>(chunk_rows),
                                                         30'001 - static_cast<uint64_t>(first)));
      }
      EXPECT_EQ(MustRun(Server(), "SELECT count(*), min(id), max(id) FROM t;"),
                "30000\t1\t30000\n");
      EXPECT_EQ(MustRun(Server(), "SELECT count(*) FROM finished;"),
                std::to_string((30'000 + chunk_rows - 1) / chunk_rows) + "\n");
      const std::string rows = MustRun(Server(), "SELECT * FROM t ORDER BY id;");
      if (expected.empty()) expected = rows;
      EXPECT_TRUE(rows == expected) << v1::LoadMethod_Name(method) << " by " << chunk_rows;
    }
  }
}

TEST_P(TaskPoolTest, AChunkIsLoadedAsAWholeOrNotAtAll) {
  PoolHarness pool(GetParam(), OptionsFor(Server()), 1);
  ASSERT_TRUE(pool.Open().ok());
  for (const v1::LoadMethod method : {LinesMethod(), v1::LOAD_METHOD_INSERT}) {
    MakeTables(Server());
    const v1::TableData table = RowsOf("t", method);
    const v1::TaskDone refused = pool.Run(ChunkTask(1, table, 1, 100,
                                                    "INSERT INTO missing VALUES "
                                                    "(1)"));
    EXPECT_EQ(CodeOf(refused), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(refused.rows_loaded(), 0u);
    EXPECT_EQ(MustRun(Server(), "SELECT count(*) FROM t;"), "0\n");

    // One row of the chunk is there already.
    MustRun(Server(), "INSERT INTO t VALUES (50, 0, 'c', 'pad');");
    const v1::TaskDone double_row = pool.Run(ChunkTask(2, table, 1, 100, Finished(1)));
    EXPECT_EQ(CodeOf(double_row), absl::StatusCode::kAlreadyExists) << double_row.error().message();
    EXPECT_EQ(MustRun(Server(), "SELECT * FROM t;"), "50\t0\tc\tpad\n");
    EXPECT_EQ(MustRun(Server(), "SELECT count(*) FROM finished;"), "0\n");

    // The chunk is recorded already.
    MustRun(Server(), "INSERT INTO finished VALUES (101);");
    const v1::TaskDone double_chunk = pool.Run(ChunkTask(3, table, 101, 200, Finished(101)));
    EXPECT_EQ(CodeOf(double_chunk), absl::StatusCode::kAlreadyExists);
    EXPECT_EQ(MustRun(Server(), "SELECT count(*) FROM t;"), "1\n");
  }
}

TEST_P(TaskPoolTest, AConnectionKilledInAChunkLeavesNothingAndIsOpenedAgain) {
  MakeTables(Server());
  PoolHarness pool(GetParam(), OptionsFor(Server()), 1);
  ASSERT_TRUE(pool.Open().ok());
  const std::string session = pool.Run(ScriptTask(1, {SessionSql()})).rows(0).fields(0).text();
  pool.Submit(ChunkTask(2, RowsOf("t", LinesMethod()), 1, 1000, SleepSql()));
  WaitUntilAsleep(Server(), session);
  Kill(Server(), session);
  const v1::TaskDone lost = pool.Take(2);
  EXPECT_EQ(CodeOf(lost), absl::StatusCode::kUnavailable) << lost.error().message();
  const v1::TaskDone after = pool.Run(ScriptTask(3, {"SELECT count(*) FROM t"}));
  EXPECT_EQ(CodeOf(after), absl::StatusCode::kOk) << after.error().message();
  EXPECT_EQ(after.rows(0).fields(0).text(), "0");
}

TEST_P(TaskPoolTest, AnswersEachOfManyTasksOnce) {
  std::atomic<int> answers = 0;
  PoolHarness pool(GetParam(), OptionsFor(Server()), 3, std::chrono::seconds(30),
                   [&](const v1::TaskDone&) { ++answers; });
  for (uint64_t id = 1; id <= 50; ++id) pool.Submit(ScriptTask(id, {"SELECT 1"}));
  ASSERT_TRUE(pool.Open().ok());
  for (uint64_t id = 51; id <= 100; ++id) pool.Submit(ScriptTask(id, {"SELECT 1"}));
  for (uint64_t id = 1; id <= 100; ++id) {
    EXPECT_EQ(CodeOf(pool.Take(id)), absl::StatusCode::kOk);
  }
  EXPECT_EQ(answers, 100);
}

TEST_P(TaskPoolTest, TellsWhyItCannotOpen) {
  const ConnectionOptions good = OptionsFor(Server());
  ConnectionOptions wrong_password = good;
  wrong_password.password = "wrong";
  ConnectionOptions no_database = good;
  no_database.database = "missing";
  ConnectionOptions nobody_there = good;
  nobody_there.node.port = 1;
  const std::pair<ConnectionOptions, absl::StatusCode> cases[] = {
      {wrong_password, absl::StatusCode::kPermissionDenied},
      {no_database, absl::StatusCode::kNotFound},
      {nobody_there, absl::StatusCode::kUnavailable},
  };
  for (const auto& [options, code] : cases) {
    PoolHarness pool(GetParam(), options, 2);
    const absl::Status status = pool.Open();
    EXPECT_EQ(status.code(), code) << Message(status);
    EXPECT_THAT(Message(status),
                StartsWith(fmt::format("database {}: connecting: ", ToString(options.node))));
    EXPECT_THAT(Message(status), Not(HasSubstr("wrong")));
    pool.Close();
  }
}

TEST_P(TaskPoolTest, ClosingBreaksOffWhatIsUnderWay) {
  PoolHarness pool(GetParam(), OptionsFor(Server()), 1);
  ASSERT_TRUE(pool.Open().ok());
  const std::string session = pool.Run(ScriptTask(1, {SessionSql()})).rows(0).fields(0).text();
  pool.Submit(ScriptTask(2, {SleepSql()}));
  pool.Submit(ScriptTask(3, {"SELECT 1"}));
  WaitUntilAsleep(Server(), session);
  pool.Close();
  EXPECT_EQ(pool.answers(), 0u);
}

TEST_P(TaskPoolTest, CanBeClosedBeforeItIsOpened) {
  PoolHarness pool(GetParam(), OptionsFor(Server()), 2);
  pool.Close();
  EXPECT_EQ(pool.answers(), 0u);
}

TEST_P(TaskPoolTest, OutlivesARestartOfTheServer) {
  const std::unique_ptr<DatabaseServer> server = StartServer();
  ASSERT_NE(server, nullptr);
  PoolHarness pool(GetParam(), OptionsFor(*server), 2, std::chrono::seconds(3));
  ASSERT_TRUE(pool.Open().ok());
  ASSERT_TRUE(server->Stop().ok());
  // More than there are connections: the first meet the loss, the last wait in vain.
  for (uint64_t id = 1; id <= 6; ++id) pool.Submit(ScriptTask(id, {"SELECT 1"}));
  for (uint64_t id = 1; id <= 6; ++id) {
    EXPECT_EQ(CodeOf(pool.Take(id)), absl::StatusCode::kUnavailable);
  }
  ASSERT_TRUE(server->StartAgain().ok());
  v1::TaskDone done;
  uint64_t id = 7;
  do {
    done = pool.Run(ScriptTask(id++, {"SELECT 1"}));
  } while (CodeOf(done) == absl::StatusCode::kUnavailable);
  EXPECT_EQ(CodeOf(done), absl::StatusCode::kOk) << done.error().message();
}

// PostgreSQL tells neither how many statements were executed, nor how to refuse to prepare any.
class MysqlTaskPoolTest : public TaskPoolTest {
 protected:
  static int64_t Executions() {
    return std::stoll(MustRun(Server(),
                              "SELECT variable_value FROM information_schema.global_status WHERE "
                              "variable_name = 'Com_stmt_execute';"));
  }

  // How many prepared statements are executed to load 1200 rows.
  static int64_t ExecutionsOfAChunk() {
    MakeTables(Server());
    PoolHarness pool(GetParam(), OptionsFor(Server()), 1);
    EXPECT_TRUE(pool.Open().ok());
    const int64_t before = Executions();
    const v1::TaskDone done =
        pool.Run(ChunkTask(1, RowsOf("t", v1::LOAD_METHOD_INSERT), 1, 1200, Finished(1)));
    EXPECT_EQ(CodeOf(done), absl::StatusCode::kOk) << done.error().message();
    EXPECT_EQ(done.rows_loaded(), 1200u);
    EXPECT_EQ(MustRun(Server(), "SELECT count(*), max(id) FROM t;"), "1200\t1200\n");
    return Executions() - before;
  }
};

TEST_P(MysqlTaskPoolTest, InsertsByAPreparedStatementWhereTheServerPreparesIt) {
  // 500 rows each, and the rest as text.
  EXPECT_EQ(ExecutionsOfAChunk(), 2);
  MustRun(Server(), "SET GLOBAL max_prepared_stmt_count = 0;");
  EXPECT_EQ(ExecutionsOfAChunk(), 0);
  MustRun(Server(), "SET GLOBAL max_prepared_stmt_count = 1000000;");
}

INSTANTIATE_TEST_SUITE_P(Families, MysqlTaskPoolTest, testing::Values(DriverFamily::kMysql),
                         [](const auto&) { return "Mysql"; });

INSTANTIATE_TEST_SUITE_P(Families, TaskPoolTest,
                         testing::Values(DriverFamily::kPostgresql, DriverFamily::kMysql),
                         [](const auto& test) {
                           return test.param == DriverFamily::kPostgresql ? "Postgresql" : "Mysql";
                         });

}  // namespace
}  // namespace sysfleet
