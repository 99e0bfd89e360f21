// Statements, prepared and as text: what they tell, what they do.
#include <gmock/gmock.h>

#include <chrono>
#include <limits>
#include <span>

#include "tests/agent/database/fixture.h"

namespace sysfleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StatementTest : public DriverTest {
 protected:
  // How many the server keeps for this session; on MySQL for all, and what the connections of
  // earlier tests leave goes a little after them.
  void WaitForPreparedCount(Connection& connection, const std::string& expected) {
    const std::string sql = Either<std::string>(
        "SELECT count(*) FROM pg_prepared_statements",
        "SELECT variable_value FROM information_schema.global_status WHERE variable_name = "
        "'Prepared_stmt_count'");
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::string count = Ask(connection, sql);
    while (count != expected && std::chrono::steady_clock::now() < deadline) {
      count = Ask(connection, sql);
    }
    EXPECT_EQ(count, expected);
  }
};

constexpr ParameterType kInt32 = ParameterType::kInt32;
constexpr ParameterType kInt64 = ParameterType::kInt64;
constexpr ParameterType kText = ParameterType::kText;

TEST_P(StatementTest, EveryTypeOfParameterArrivesUnchanged) {
  auto connection = Connected();
  MakeTable(*connection, "types", "id INT PRIMARY KEY, a INT, b BIGINT, c CHAR(120), d VARCHAR(9)");
  const std::vector<StatementSpec> statements = {
      {.sql = fmt::format("INSERT INTO types VALUES ({}, {}, {}, {}, {})", P(1), P(2), P(3), P(4),
                          P(5)),
       .parameters = {kInt32, kInt32, kInt64, kText, kText}},
      {.sql = fmt::format("SELECT id FROM types WHERE c = {} AND b = {}", P(1), P(2)),
       .parameters = {kText, kInt64}}};
  ASSERT_TRUE(Await(loop_, connection->Prepare(statements)).ok());

  const std::string long_text(120, 'x');
  const struct {
    int64_t a, b;
    std::string_view c, d;
  } rows[] = {
      {0, 0, "", ""},
      {-1, -1, "it's \"quoted\" \\ %", "a'b"},
      {std::numeric_limits<int32_t>::max(), std::numeric_limits<int64_t>::max(), long_text, "x"},
      {std::numeric_limits<int32_t>::min(), std::numeric_limits<int64_t>::min(), "größe 表", "é"},
      {258, 0x0102030405060708, "12345-67890", "123456789"},
  };
  int64_t id = 0;
  for (const auto& row : rows) {
    const Value values[] = {{.integer = ++id},
                            {.integer = row.a},
                            {.integer = row.b},
                            {.text = row.c},
                            {.text = row.d}};
    const Outcome inserted = Await(loop_, connection->Execute(0, values));
    EXPECT_EQ(inserted.kind, OutcomeKind::kChanged) << inserted;
    EXPECT_EQ(inserted.rows, 1);
    const Value key[] = {{.text = row.c}, {.integer = row.b}};
    const Outcome found = Await(loop_, connection->Execute(1, key));
    EXPECT_EQ(found.kind, OutcomeKind::kRows) << found;
    EXPECT_EQ(found.rows, 1) << row.c;
  }

  ASSERT_TRUE(Run(*connection, "SELECT a, b, TRIM(c), d FROM types ORDER BY id").ok());
  const std::vector<ResultRow> stored = connection->TakeRows();
  ASSERT_EQ(stored.size(), std::size(rows));
  for (size_t i = 0; i < stored.size(); ++i) {
    EXPECT_THAT(stored[i], ElementsAre(std::to_string(rows[i].a), std::to_string(rows[i].b),
                                       std::string(rows[i].c), std::string(rows[i].d)));
  }
}

TEST_P(StatementTest, OutcomesAreClassifiedAsSysbenchDoes) {
  auto connection = Connected();
  MakeTable(*connection, "numbers", "id INT PRIMARY KEY, k INT");
  const std::vector<StatementSpec> statements = {
      {.sql = "INSERT INTO numbers VALUES (1, 10), (2, 20), (3, 30)"},
      {.sql = "SELECT id FROM numbers WHERE id <= " + P(1), .parameters = {kInt32}},
      {.sql = "UPDATE numbers SET k = k + 1 WHERE id <= " + P(1), .parameters = {kInt32}},
      {.sql = "DELETE FROM numbers WHERE id = " + P(1), .parameters = {kInt32}},
      {.sql = "BEGIN"},
      {.sql = "COMMIT"},
      {.sql = "SELECT COUNT(*), SUM(k) FROM numbers"},
  };
  ASSERT_TRUE(Await(loop_, connection->Prepare(statements)).ok());
  const struct {
    size_t statement;
    int64_t value;
    OutcomeKind kind;
    int64_t rows;
  } cases[] = {
      {0, 0, OutcomeKind::kChanged, 3}, {1, 3, OutcomeKind::kRows, 3},
      {1, 0, OutcomeKind::kRows, 0},    {2, 2, OutcomeKind::kChanged, 2},
      {2, 0, OutcomeKind::kNothing, 0}, {4, 0, OutcomeKind::kNothing, 0},
      {3, 1, OutcomeKind::kChanged, 1}, {3, 1, OutcomeKind::kNothing, 0},
      {5, 0, OutcomeKind::kNothing, 0}, {6, 0, OutcomeKind::kRows, 1},
  };
  for (const auto& expected : cases) {
    const Value values[] = {{.integer = expected.value}};
    const Outcome outcome = Await(loop_, connection->Execute(expected.statement, values));
    const std::string& sql = statements[expected.statement].sql;
    EXPECT_EQ(outcome.kind, expected.kind) << sql << ": " << outcome;
    EXPECT_EQ(outcome.rows, expected.rows) << sql;
  }
  const Outcome created = Run(*connection, "CREATE TABLE numbers_too (id INT)");
  EXPECT_EQ(created.kind, OutcomeKind::kNothing) << created;
  EXPECT_EQ(Run(*connection, "DROP TABLE numbers_too").kind, OutcomeKind::kNothing);
}

TEST_P(StatementTest, TextIsExecutedAsPreparedStatementsAre) {
  auto connection = Connected();
  MakeTable(*connection, "texts",
            "id INT PRIMARY KEY, c " + Either<std::string>("TEXT", "MEDIUMTEXT"));
  // Also without anything prepared.
  ASSERT_TRUE(Await(loop_, connection->Prepare({})).ok());
  const auto execute = [&](const std::string& sql) {
    return Await(loop_, connection->ExecuteText(sql));
  };
  EXPECT_EQ(execute("BEGIN").kind, OutcomeKind::kNothing);
  EXPECT_TRUE(connection->InTransaction());
  // A first value that is empty, NULL, and so long that its length is written in one, three
  // and four bytes.
  EXPECT_EQ(execute("INSERT INTO texts VALUES (1, ''), (2, NULL), (3, 'x'), (4, '" +
                    std::string(255, 'x') + "'), (5, '" + std::string(70'000, 'x') + "')")
                .rows,
            5);
  EXPECT_EQ(execute("COMMIT").kind, OutcomeKind::kNothing);
  EXPECT_FALSE(connection->InTransaction());
  const Outcome rows = execute("SELECT c, id FROM texts");
  EXPECT_EQ(rows.kind, OutcomeKind::kRows) << rows;
  EXPECT_EQ(rows.rows, 5);
  EXPECT_THAT(connection->TakeRows(), ElementsAre());
  EXPECT_EQ(execute("SELECT c FROM texts WHERE id > 9").kind, OutcomeKind::kRows);
  EXPECT_EQ(execute("UPDATE texts SET c = 'y' WHERE id > 9").kind, OutcomeKind::kNothing);
  EXPECT_EQ(execute("DELETE FROM texts WHERE id = 1").kind, OutcomeKind::kChanged);
  const Outcome refused = execute("SELECT * FROM no_such_table");
  EXPECT_EQ(refused.kind, OutcomeKind::kError);
  EXPECT_EQ(refused.code, Either<std::string>("42P01", "1146"));
  EXPECT_EQ(execute("SELECT 1").rows, 1);
}

TEST_P(StatementTest, TextRowsKeepNullAndEmptyApart) {
  auto connection = Connected();
  const Outcome outcome = Run(*connection, "SELECT 1, NULL, '' UNION ALL SELECT 2, 'b', 'c'");
  EXPECT_EQ(outcome.kind, OutcomeKind::kRows);
  EXPECT_EQ(outcome.rows, 2);
  EXPECT_THAT(connection->TakeRows(),
              ElementsAre(ElementsAre("1", std::nullopt, ""), ElementsAre("2", "b", "c")));
  EXPECT_THAT(connection->TakeRows(), ElementsAre());
}

TEST_P(StatementTest, ErrorsLeaveTheConnectionAndItsTransactionUsable) {
  auto connection = Connected();
  MakeTable(*connection, "unique_keys", "id INT PRIMARY KEY");
  const std::vector<StatementSpec> statements = {
      {.sql = "INSERT INTO unique_keys VALUES (" + P(1) + ")", .parameters = {kInt32}}};
  ASSERT_TRUE(Await(loop_, connection->Prepare(statements)).ok());
  const Value values[] = {{.integer = 7}};

  MustRun(*connection, "BEGIN");
  EXPECT_TRUE(connection->InTransaction());
  EXPECT_TRUE(Await(loop_, connection->Execute(0, values)).ok());
  const Outcome refused = Await(loop_, connection->Execute(0, values));
  EXPECT_EQ(refused.kind, OutcomeKind::kError);
  EXPECT_EQ(refused.code, Either("23505", "1062"));
  EXPECT_THAT(refused.message, HasSubstr(Either("duplicate key value", "Duplicate entry '7'")));
  EXPECT_TRUE(connection->InTransaction());
  if (IsPostgresql()) {
    EXPECT_EQ(Run(*connection, "SELECT 1").code, "25P02");
  }

  MustRun(*connection, "ROLLBACK");
  EXPECT_FALSE(connection->InTransaction());
  EXPECT_EQ(Ask(*connection, "SELECT COUNT(*) FROM unique_keys"), "0");
  EXPECT_EQ(Run(*connection, "SELEC 1").code, Either("42601", "1064"));
  EXPECT_TRUE(Await(loop_, connection->Execute(0, values)).ok());
}

TEST_P(StatementTest, PreparesThousandsOfStatements) {
  auto connection = Connected();
  std::vector<StatementSpec> statements;
  constexpr int kTables = 60;
  constexpr int kStatements = 3000;
  for (int table = 0; table < kTables; ++table) {
    MakeTable(*connection, fmt::format("many{}", table), "id INT PRIMARY KEY, k INT");
  }
  for (int i = 0; i < kStatements; ++i) {
    statements.push_back(
        {.sql = fmt::format("INSERT INTO many{} (id, k) VALUES ({}, {})", i % kTables, P(1), i),
         .parameters = {kInt32}});
  }
  const Outcome outcome = Await(loop_, connection->Prepare(statements));
  ASSERT_EQ(outcome.kind, OutcomeKind::kNothing) << outcome;
  EXPECT_EQ(Ask(*connection, Either("SELECT COUNT(*) FROM pg_prepared_statements",
                                    "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
                                    "WHERE VARIABLE_NAME = 'PREPARED_STMT_COUNT'")),
            "3000");

  // Each reaches its own table, with its own number, whatever ran before it.
  for (const int i : {2999, 0, 59, 60, 1, 61, 1500, 99, 100}) {
    const Value values[] = {{.integer = 1000 + i}};
    const Outcome inserted = Await(loop_, connection->Execute(static_cast<size_t>(i), values));
    EXPECT_EQ(inserted.kind, OutcomeKind::kChanged) << inserted;
    EXPECT_EQ(
        Ask(*connection, fmt::format("SELECT k FROM many{} WHERE id = {}", i % kTables, 1000 + i)),
        std::to_string(i));
  }
}

TEST_P(StatementTest, StatementsOfOneFormKeepTheirTypesApart) {
  auto connection = Connected();
  MakeTable(*connection, "wide", "id BIGINT PRIMARY KEY, c CHAR(20)");
  const std::vector<StatementSpec> statements = {
      {.sql = "DELETE FROM wide WHERE id = " + P(1), .parameters = {kInt64}},
      {.sql = "DELETE FROM wide WHERE c = " + P(1), .parameters = {kText}},
      {.sql = fmt::format("INSERT INTO wide VALUES ({}, {})", P(1), P(2)),
       .parameters = {kInt64, kText}},
      {.sql = "DELETE FROM wide WHERE id = 10 + " + P(1), .parameters = {kInt64}},
  };
  ASSERT_TRUE(Await(loop_, connection->Prepare(statements)).ok());
  const auto changed = [&](size_t statement, std::vector<Value> values) {
    const Outcome outcome = Await(loop_, connection->Execute(statement, values));
    EXPECT_TRUE(outcome.ok()) << outcome;
    return outcome.rows;
  };
  constexpr int64_t kBig = 1'000'000'000'000;
  EXPECT_EQ(changed(2, {{.integer = kBig}, {.text = "one"}}), 1);
  EXPECT_EQ(changed(2, {{.integer = 13}, {.text = "two"}}), 1);
  EXPECT_EQ(changed(3, {{.integer = 3}}), 1);
  EXPECT_EQ(changed(1, {{.text = "two"}}), 0);
  EXPECT_EQ(changed(0, {{.integer = kBig}}), 1);
}

TEST_P(StatementTest, PreparingAgainReplacesWhatWasPrepared) {
  auto connection = Connected();
  MakeTable(*connection, "numbers", "id INT PRIMARY KEY, k INT");
  const std::vector<StatementSpec> first = {
      {.sql = fmt::format("INSERT INTO numbers VALUES ({}, {})", P(1), P(2)),
       .parameters = {kInt32, kInt32}},
      {.sql = "SELECT k FROM numbers WHERE id = " + P(1), .parameters = {kInt32}},
      {.sql = "DELETE FROM numbers WHERE id = " + P(1), .parameters = {kInt32}},
      {.sql = "DELETE FROM numbers WHERE k = " + P(1), .parameters = {kInt32}}};
  const std::vector<StatementSpec> second = {
      {.sql = "DELETE FROM numbers WHERE id > " + P(1), .parameters = {kInt32}},
      {.sql = "SELECT id, k FROM numbers"}};
  const Value row[] = {{.integer = 1}, {.integer = 10}};
  const auto id = std::span(row).first(1);
  const Value zero[] = {{.integer = 0}};
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(Await(loop_, connection->Prepare(first)).ok());
    EXPECT_EQ(Await(loop_, connection->Execute(0, row)).kind, OutcomeKind::kChanged);
    EXPECT_EQ(Await(loop_, connection->Execute(1, id)).rows, 1);
    EXPECT_EQ(Await(loop_, connection->Execute(3, id)).kind, OutcomeKind::kNothing);
    ASSERT_TRUE(Await(loop_, connection->Prepare(second)).ok());
    EXPECT_EQ(Await(loop_, connection->Execute(1, {})).rows, 1);
    EXPECT_EQ(Await(loop_, connection->Execute(0, zero)).rows, 1);
  }
  WaitForPreparedCount(*connection, "2");
  ASSERT_TRUE(Await(loop_, connection->Prepare({})).ok());
  WaitForPreparedCount(*connection, "0");
}

TEST_P(StatementTest, PreparingEndsAtTheFirstThatIsRefused) {
  auto connection = Connected();
  std::vector<StatementSpec> statements(300, {.sql = "SELECT 1"});
  statements[150].sql = "SELECT * FROM no_such_table";
  statements[260].sql = "SELECT * FROM no_such_table_either";
  const Outcome outcome = Await(loop_, connection->Prepare(statements));
  EXPECT_EQ(outcome.kind, OutcomeKind::kError);
  EXPECT_EQ(outcome.rows, 150);
  EXPECT_EQ(outcome.code, Either("42P01", "1146"));
  EXPECT_THAT(outcome.message, HasSubstr("no_such_table"));
  EXPECT_EQ(Ask(*connection, "SELECT 5"), "5");
}

TEST_P(StatementTest, NothingToPrepareIsFine) {
  auto connection = Connected();
  EXPECT_EQ(Await(loop_, connection->Prepare({})).kind, OutcomeKind::kNothing);
  EXPECT_EQ(Ask(*connection, "SELECT 5"), "5");
}

TEST_P(StatementTest, ABigResultIsCountedWhole) {
  auto connection = Connected();
  const std::string series = Either("FROM generate_series(1, 100000)", "FROM seq_1_to_100000");
  const std::vector<StatementSpec> statements = {{.sql = "SELECT REPEAT('x', 200) " + series}};
  ASSERT_TRUE(Await(loop_, connection->Prepare(statements)).ok());
  for (int round = 0; round < 2; ++round) {
    const Outcome outcome = Await(loop_, connection->Execute(0, {}));
    EXPECT_EQ(outcome.kind, OutcomeKind::kRows) << outcome;
    EXPECT_EQ(outcome.rows, 100000);
  }
}

TEST_P(StatementTest, ALongStatementIsSentWhole) {
  auto connection = Connected();
  // More than any socket takes at once.
  const std::string text(8'000'000, 'y');
  EXPECT_EQ(Ask(*connection, "SELECT LENGTH('" + text + "')"), "8000000");
}

INSTANTIATE_TEST_SUITE_P(Families, StatementTest, BothFamiliesAndPaths(), DriverName);

using MysqlStatementTest = DriverTest;

TEST_P(MysqlStatementTest, WhatTheServerDoesNotPrepareIsRunAsText) {
  auto connection = Connected();
  const std::vector<StatementSpec> statements = {
      {.sql = "SELECT 1"}, {.sql = "PREPARE inner_one FROM 'SELECT 1'"}, {.sql = "SELECT 1, 2"}};
  const Outcome prepared = Await(loop_, connection->Prepare(statements));
  ASSERT_TRUE(prepared.ok()) << prepared;
  EXPECT_EQ(Await(loop_, connection->Execute(1, {})).kind, OutcomeKind::kNothing);
  EXPECT_EQ(Await(loop_, connection->Execute(2, {})).kind, OutcomeKind::kRows);
  EXPECT_EQ(Run(*connection, "EXECUTE inner_one").rows, 1);
}

TEST_P(MysqlStatementTest, AProcedureMayGiveSeveralResults) {
  auto connection = Connected();
  MustRun(*connection, "DROP PROCEDURE IF EXISTS two_results");
  MustRun(*connection,
          "CREATE PROCEDURE two_results() BEGIN SELECT 1 UNION SELECT 2; SELECT 3; END");
  const std::vector<StatementSpec> statements = {{.sql = "CALL two_results()"},
                                                 {.sql = "SELECT 1"}};
  ASSERT_TRUE(Await(loop_, connection->Prepare(statements)).ok());
  for (int round = 0; round < 2; ++round) {
    const Outcome outcome = Await(loop_, connection->Execute(0, {}));
    EXPECT_EQ(outcome.kind, OutcomeKind::kRows) << outcome;
    EXPECT_EQ(outcome.rows, 3);
    EXPECT_EQ(Await(loop_, connection->Execute(1, {})).rows, 1);
  }
  EXPECT_EQ(Run(*connection, "CALL two_results()").rows, 3);
  EXPECT_EQ(connection->TakeRows().size(), 3U);
}

TEST_P(MysqlStatementTest, TheNumberOfParametersMustFit) {
  auto connection = Connected();
  const std::vector<StatementSpec> statements = {{.sql = "SELECT 1"},
                                                 {.sql = "SELECT ? + ?", .parameters = {kInt32}}};
  const Outcome outcome = Await(loop_, connection->Prepare(statements));
  EXPECT_EQ(outcome.kind, OutcomeKind::kError);
  EXPECT_EQ(outcome.rows, 1);
  EXPECT_EQ(outcome.message, "the statement has 2 placeholders, 1 parameters are given");
}

INSTANTIATE_TEST_SUITE_P(Families, MysqlStatementTest,
                         testing::Values(DriverUnderTest{DriverFamily::kMysql},
                                         DriverUnderTest{DriverFamily::kMysql,
                                                         StatementPath::kLibrary}),
                         DriverName);

}  // namespace
}  // namespace sysfleet
