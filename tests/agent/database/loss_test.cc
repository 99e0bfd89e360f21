// Connections that end: killed by the server, or closed by us at any moment.
#include <gmock/gmock.h>

#include "tests/agent/database/fixture.h"
#include "tests/agent/database/lines.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;
using testing::Not;

class LossTest : public DriverTest {
 protected:
  static std::string SleepLong() { return Either("SELECT pg_sleep(600)", "SELECT SLEEP(600)"); }

  // Until the server shows the session in its sleep.
  void WaitForSleep(Connection& administrator, const std::string& session) {
    const std::string question = Either(
        "SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'PgSleep' "
        "AND pid = " +
            session,
        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep' AND ID = " +
            session);
    while (Ask(administrator, question) != "1") {
    }
  }
};

TEST_P(LossTest, KilledInMidStatement) {
  auto administrator = Connected();
  auto victim = Connected();
  const std::string session = SessionId(*victim);
  const std::vector<StatementSpec> statements = {{.sql = SleepLong()}};
  ASSERT_TRUE(Await(loop_, victim->Prepare(statements)).ok());
  Pending sleep(victim->Execute(0, {}));
  WaitForSleep(*administrator, session);
  KillSession(*administrator, session);
  ASSERT_TRUE(loop_.RunUntil([&] { return sleep.done(); }));
  EXPECT_EQ(sleep.outcome().kind, OutcomeKind::kLost) << sleep.outcome();
  EXPECT_THAT(sleep.outcome().code, testing::AnyOf("57P01", "1927", "2013"));
  EXPECT_THAT(sleep.outcome().message, Not(testing::IsEmpty()));
  EXPECT_FALSE(loop_.Watches(*victim));
  EXPECT_FALSE(victim->InTransaction());
  EXPECT_EQ(Await(loop_, victim->Execute(0, {})).kind, OutcomeKind::kLost);
}

TEST_P(LossTest, KilledWhileIdle) {
  auto administrator = Connected();
  auto victim = Connected();
  const std::vector<StatementSpec> statements = {{.sql = "SELECT 1"}};
  ASSERT_TRUE(Await(loop_, victim->Prepare(statements)).ok());
  KillSession(*administrator, SessionId(*victim));
  // Its end is noticed, and then it makes no more events.
  ASSERT_TRUE(loop_.RunUntil([&] { return !loop_.Watches(*victim); }));
  EXPECT_FALSE(victim->busy());
  const Outcome outcome = Await(loop_, victim->Execute(0, {}));
  EXPECT_EQ(outcome.kind, OutcomeKind::kLost) << outcome;
  EXPECT_THAT(outcome.code, testing::AnyOf("57P01", "1927", "2006", "2013"));
  EXPECT_EQ(Await(loop_, victim->Query("SELECT 1")).kind, OutcomeKind::kLost);
  victim->Close("done with it");
}

TEST_P(LossTest, CloseEndsAStatementAtOnce) {
  auto administrator = Connected();
  auto connection = Connected();
  const std::string session = SessionId(*connection);
  Pending sleep(connection->Query(SleepLong()));
  WaitForSleep(*administrator, session);
  connection->Close("the cell is over");
  ASSERT_TRUE(sleep.done());
  EXPECT_EQ(sleep.outcome().kind, OutcomeKind::kLost);
  EXPECT_EQ(sleep.outcome().code, "lost");
  EXPECT_EQ(sleep.outcome().message, "the cell is over");
  EXPECT_FALSE(loop_.Watches(*connection));
  connection->Close("twice");
  KillSession(*administrator, session);
}

TEST_P(LossTest, CloseWhileIdleSaysGoodbye) {
  auto administrator = Connected();
  auto connection = Connected();
  const std::string session = SessionId(*connection);
  connection->Close("done");
  EXPECT_FALSE(loop_.Watches(*connection));
  const Outcome outcome = Await(loop_, connection->Query("SELECT 1"));
  EXPECT_EQ(outcome.kind, OutcomeKind::kLost);
  const std::string question =
      Either("SELECT COUNT(*) FROM pg_stat_activity WHERE pid = ",
             "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ") +
      session;
  while (Ask(*administrator, question) != "0") {
  }
}

// What a caller may do with a connection in the middle of an operation.
enum class Ending { kClose, kDestroy };

struct Stage {
  std::string name;
  std::function<Connection::Completion(Connection&)> begin;
  bool needs_connection = true;
};

TEST_P(LossTest, AnyOperationMayBeCutOffAnywhere) {
  auto administrator = Connected();
  MakeTable(*administrator, "cut_off", "id INT, v VARCHAR(200)");
  const std::vector<StatementSpec> many(500, {.sql = "SELECT 1, 'x'"});
  const std::string big = Either("SELECT REPEAT('x', 200) FROM generate_series(1, 50000)",
                                 "SELECT REPEAT('x', 200) FROM seq_1_to_50000");
  const std::string long_text = "SELECT LENGTH('" + std::string(8'000'000, 'y') + "')";
  Lines lines(50000);
  const std::vector<Stage> stages = {
      {"connect", [](Connection& c) { return c.Connect(); }, false},
      {"prepare", [&](Connection& c) { return c.Prepare(many); }},
      {"a big result", [&](Connection& c) { return c.Query(big); }},
      {"a long statement", [&](Connection& c) { return c.Query(long_text); }},
      {"copy",
       [&](Connection& c) {
         lines.Rewind();
         return c.Copy(
             Either("COPY cut_off FROM STDIN", "LOAD DATA LOCAL INFILE 'x' INTO TABLE cut_off"),
             lines);
       }},
  };
  for (const Stage& stage : stages) {
    for (const Ending ending : {Ending::kClose, Ending::kDestroy}) {
      for (int steps : {0, 1, 2, 3, 4, 5, 7, 10, 15, 25, 60}) {
        auto connection = stage.needs_connection ? Connected() : Make();
        Pending operation(stage.begin(*connection));
        for (; steps > 0 && !operation.done(); --steps) loop_.Step(std::chrono::minutes(1));
        const bool was_done = operation.done();
        const Pollable* watched = connection.get();
        if (ending == Ending::kClose) {
          connection->Close("cut off");
          ASSERT_TRUE(operation.done()) << stage.name;
          EXPECT_EQ(operation.outcome().ok(), was_done) << stage.name << operation.outcome();
        } else {
          connection.reset();
          EXPECT_EQ(operation.done(), was_done) << stage.name;
        }
        EXPECT_FALSE(loop_.Watches(*watched)) << stage.name;
        if (was_done) break;
      }
    }
  }
  EXPECT_EQ(Ask(*administrator, "SELECT 5"), "5");
}

INSTANTIATE_TEST_SUITE_P(Families, LossTest, BothFamiliesAndPaths(), DriverName);

}  // namespace
}  // namespace sysfleet
