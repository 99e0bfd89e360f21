// The null server as the drivers see it, and its protocols where bytes come in pieces.
#include "agent/calibration/null_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "agent/calibration/null_statement.h"
#include "agent/database/factory.h"
#include "common/base/status.h"
#include "tests/agent/database/loop.h"

namespace sysfleet {
namespace {

TEST(ClassifySqlTest, TellsWhatToAnswer) {
  using Reply = NullStatement::Reply;
  const struct {
    std::string_view sql;
    Reply reply;
    int rows;
    int parameters;
    std::string_view tag;
  } cases[] = {
      {"SELECT c FROM sbtest1 WHERE id=$1", Reply::kText, 1, 1, "SELECT 1"},
      {"SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?", Reply::kText, 100, 2, "SELECT 100"},
      {"SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN $1 AND $2", Reply::kInteger, 1, 2, "SELECT 1"},
      {"SELECT DISTINCT c FROM sbtest9 WHERE id BETWEEN ? AND ? ORDER BY c", Reply::kText, 100, 2,
       "SELECT 100"},
      {"UPDATE sbtest1 SET k=k+1 WHERE id=$1", Reply::kChanged, 0, 1, "UPDATE 1"},
      {"INSERT INTO sbtest1 (id, k, c, pad) VALUES ($1, $2, $3, $4)", Reply::kChanged, 0, 4,
       "INSERT 0 1"},
      {" delete from sbtest1 where id=?", Reply::kChanged, 0, 1, "DELETE 1"},
      {"BEGIN", Reply::kNothing, 0, 0, "BEGIN"},
      {"START TRANSACTION", Reply::kNothing, 0, 0, "BEGIN"},
      {"COMMIT;", Reply::kNothing, 0, 0, "COMMIT"},
      {"", Reply::kNothing, 0, 0, ""},
  };
  for (const auto& c : cases) {
    const NullStatement statement = ClassifySql(c.sql);
    EXPECT_EQ(statement.reply, c.reply) << c.sql;
    EXPECT_EQ(statement.rows, c.rows) << c.sql;
    EXPECT_EQ(statement.parameters, c.parameters) << c.sql;
    EXPECT_EQ(statement.tag, c.tag) << c.sql;
  }
  EXPECT_TRUE(ClassifySql("begin").begins_transaction);
  EXPECT_TRUE(ClassifySql("ROLLBACK").ends_transaction);
  EXPECT_FALSE(ClassifySql("SELECT 1").ends_transaction);
}

class NullServerTest : public testing::TestWithParam<DriverFamily> {
 protected:
  static bool IsPostgresql() { return GetParam() == DriverFamily::kPostgresql; }
  static std::string P(int number) { return IsPostgresql() ? "$" + std::to_string(number) : "?"; }

  void StartServer(std::chrono::microseconds delay = std::chrono::microseconds(0)) {
    auto server = NullServer::Listen(
        {.family = IsPostgresql() ? NullServerFamily::kPostgresql : NullServerFamily::kMysql,
         .delay = delay});
    ASSERT_TRUE(server.ok()) << Message(server.status());
    server_ = *std::move(server);
    server_->OnAnswered([this](int64_t took_ns) {
      answered_.fetch_add(1);
      if (took_ns < least_ns_.load()) least_ns_.store(took_ns);
    });
    thread_ = std::thread([this] { server_->Run(); });
  }

  ~NullServerTest() override {
    if (!thread_.joinable()) return;
    server_->Stop();
    thread_.join();
  }

  std::unique_ptr<Connection> Connected() {
    auto connection = MakeConnection(GetParam(),
                                     {.node = {"127.0.0.1", server_->port()},
                                      .address = "127.0.0.1",
                                      .database = "sbtest",
                                      .user = "sbtest",
                                      .password = "any"},
                                     loop_);
    const Outcome outcome = Await(loop_, connection->Connect());
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    return connection;
  }

  Loop loop_;
  std::unique_ptr<NullServer> server_;
  std::thread thread_;
  std::atomic<int64_t> least_ns_{INT64_MAX};
  std::atomic<int> answered_{0};
};

TEST_P(NullServerTest, AnswersTheStatementsOfTheWorkloads) {
  StartServer();
  auto connection = Connected();
  const std::vector<StatementSpec> statements = {
      {.sql = "BEGIN"},
      {.sql = "SELECT c FROM sbtest1 WHERE id=" + P(1), .parameters = {ParameterType::kInt32}},
      {.sql = "SELECT c FROM sbtest1 WHERE id BETWEEN " + P(1) + " AND " + P(2),
       .parameters = {ParameterType::kInt32, ParameterType::kInt32}},
      {.sql = "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN " + P(1) + " AND " + P(2),
       .parameters = {ParameterType::kInt32, ParameterType::kInt32}},
      {.sql = "UPDATE sbtest1 SET c=" + P(1) + " WHERE id=" + P(2),
       .parameters = {ParameterType::kText, ParameterType::kInt32}},
      {.sql = "COMMIT"},
  };
  const Outcome prepared = Await(loop_, connection->Prepare(statements));
  ASSERT_TRUE(prepared.ok()) << prepared.message;
  const std::vector<Value> numbers = {{.integer = 1}, {.integer = 100}};
  const std::vector<Value> update = {{.text = "text"}, {.integer = 5}};
  const struct {
    size_t statement;
    std::vector<Value> values;
    OutcomeKind kind;
    int64_t rows;
    bool in_transaction;
  } steps[] = {
      {0, {}, OutcomeKind::kNothing, 0, true},     {1, {numbers[0]}, OutcomeKind::kRows, 1, true},
      {2, numbers, OutcomeKind::kRows, 100, true}, {3, numbers, OutcomeKind::kRows, 1, true},
      {4, update, OutcomeKind::kChanged, 1, true}, {5, {}, OutcomeKind::kNothing, 0, false},
  };
  for (int round = 0; round < 3; ++round) {
    for (const auto& step : steps) {
      const Outcome outcome = Await(loop_, connection->Execute(step.statement, step.values));
      EXPECT_EQ(outcome.kind, step.kind) << step.statement << ": " << outcome.message;
      EXPECT_EQ(outcome.rows, step.rows) << step.statement;
      EXPECT_EQ(connection->InTransaction(), step.in_transaction) << step.statement;
    }
  }
  ASSERT_TRUE(Await(loop_, connection->Query("SELECT c FROM sbtest1 WHERE id=1")).ok());
  const auto rows = connection->TakeRows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0][0], std::string(NullText()));
  EXPECT_EQ(server_->statements(), 19u);
}

TEST_P(NullServerTest, AnswersAfterTheDelayAndNotBefore) {
  StartServer(std::chrono::milliseconds(3));
  auto first = Connected();
  auto second = Connected();
  Pending one(first->Query("SELECT 1"));
  Pending two(second->Query("SELECT 1"));
  ASSERT_TRUE(loop_.RunUntil([&] { return one.done() && two.done(); }));
  EXPECT_TRUE(one.outcome().ok());
  EXPECT_TRUE(two.outcome().ok());
  EXPECT_EQ(answered_.load(), 2);
  EXPECT_GE(least_ns_.load(), 3'000'000);
}

TEST_P(NullServerTest, SurvivesAClientThatSaysNonsense) {
  StartServer();
  auto sane = Connected();
  for (const std::string_view nonsense :
       {std::string_view("GET / HTTP/1.0\r\n\r\n"), std::string_view("\0\0\0\0\0\0\0\0", 8),
        std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff", 8)}) {
    auto protocols = IsPostgresql() ? MakeNullPostgresql() : MakeNullMysql();
    auto protocol = protocols->Accept();
    std::string out;
    EXPECT_LE(protocol->Answer(nonsense, out), nonsense.size());
  }
  EXPECT_TRUE(Await(loop_, sane->Query("SELECT 1")).ok());
}

std::string Framed(std::string_view type, std::string_view body) {
  std::string message(type);
  const size_t length = body.size() + 4;
  for (int shift = 24; shift >= 0; shift -= 8) message += static_cast<char>(length >> shift);
  return message.append(body);
}

// The same bytes in one piece and in small ones.
TEST(NullPostgresqlTest, WaitsForTheRestOfAMessage) {
  using namespace std::string_view_literals;
  const std::string session = Framed("", "\x04\xd2\x16\x2f"sv) +     // may we speak TLS?
                              Framed("", "\0\3\0\0user\0x\0\0"sv) +  // startup
                              Framed("P", "s\0SELECT c FROM t WHERE id=$1\0\0\0"sv) +   // parse
                              Framed("B", "\0s\0\0\1\0\1\0\1\0\0\0\1\x37\0\1\0\1"sv) +  // bind
                              Framed("D", "P\0"sv) + Framed("E", "\0\0\0\0\0"sv) + Framed("S", "") +
                              Framed("X", "");
  const auto answer = [&](size_t piece) {
    auto family = MakeNullPostgresql();
    auto protocol = family->Accept();
    std::string out;
    std::string unread;
    for (size_t at = 0; at < session.size(); at += piece) {
      unread += session.substr(at, piece);
      unread.erase(0, protocol->Answer(unread, out));
    }
    EXPECT_TRUE(protocol->ended());
    EXPECT_EQ(protocol->statements(), 1u);
    return out;
  };
  const std::string whole = answer(session.size());
  EXPECT_EQ(whole[0], 'N');
  EXPECT_NE(whole.find(NullText()), std::string::npos);
  EXPECT_TRUE(whole.ends_with("Z\0\0\0\5I"sv));
  EXPECT_EQ(answer(1), whole);
  EXPECT_EQ(answer(7), whole);
}

INSTANTIATE_TEST_SUITE_P(Families, NullServerTest,
                         testing::Values(DriverFamily::kPostgresql, DriverFamily::kMysql),
                         [](const auto& family) {
                           return family.param == DriverFamily::kPostgresql ? "Postgresql"
                                                                            : "Mysql";
                         });

}  // namespace
}  // namespace sysfleet
