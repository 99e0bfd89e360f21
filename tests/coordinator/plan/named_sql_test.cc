#include "coordinator/plan/named_sql.h"

#include <gmock/gmock.h>

namespace sysfleet {
namespace {

using ::testing::ElementsAre;

std::string Sql(std::string_view text) {
  const auto parsed = ParseNamedSql(text);
  return parsed ? parsed->sql : "refused";
}

TEST(ParseNamedSql, PutsAQuestionMarkForEachName) {
  const auto parsed =
      ParseNamedSql("UPDATE t SET a = a - :amount WHERE id IN (:from,:to) OR b=:from");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->sql, "UPDATE t SET a = a - ? WHERE id IN (?,?) OR b=?");
  EXPECT_THAT(parsed->names, ElementsAre("amount", "from", "to", "from"));
}

TEST(ParseNamedSql, LeavesWhatIsNoName) {
  for (const char* sql :
       {"SELECT ':a', \":b\", `:c` FROM t", "SELECT 1 -- :a\n", "SELECT /* :a */ 1",
        "SELECT x::int FROM t", "SET @a := 1", "SELECT a[1:2]", "SELECT 'it''s :a'"}) {
    EXPECT_EQ(Sql(sql), sql);
  }
  EXPECT_EQ(Sql("SELECT :a::int"), "SELECT ?::int");
  EXPECT_EQ(Sql("SELECT 'what?' WHERE a = :a"), "refused");
}

TEST(StatementName, TellsVerbAndTable) {
  EXPECT_EQ(StatementName("SELECT a, b FROM Accounts WHERE id = 1"), "select_accounts");
  EXPECT_EQ(StatementName("insert into t (a) values (1)"), "insert_t");
  EXPECT_EQ(StatementName("UPDATE \"Big\" SET a = 1"), "update_big");
  EXPECT_EQ(StatementName("DELETE FROM s.t"), "delete_s.t");
  EXPECT_EQ(StatementName("CALL f(1)"), "call");
  EXPECT_EQ(StatementName(""), "statement");
}

TEST(NamedTables, AreWhatStandsBehindTheirWords) {
  EXPECT_THAT(NamedTables("SELECT 1 FROM A a JOIN b ON a.x = b.x WHERE y IN (SELECT y FROM c)"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(NamedTables("INSERT INTO t (a) SELECT a FROM u"), ElementsAre("t", "u"));
  EXPECT_THAT(NamedTables("UPDATE t SET a = 1"), ElementsAre("t"));
  EXPECT_THAT(NamedTables("DELETE FROM t"), ElementsAre("t"));
  for (const char* none :
       {"SELECT EXTRACT(YEAR FROM d)", "SELECT a IS DISTINCT FROM b", "SELECT 1 FOR UPDATE",
        "WITH x AS (SELECT 1) SELECT * FROM x", "SELECT 1 FROM (SELECT 2) s",
        "SELECT 1 FROM information_schema.tables", ""}) {
    EXPECT_THAT(NamedTables(none), ElementsAre()) << none;
  }
  EXPECT_THAT(NamedTables("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1"),
              ElementsAre("t"));
}

TEST(ResultColumns, CountsWhereTheListTells) {
  EXPECT_EQ(ResultColumns("SELECT a, max(b, c), 'x,y' FROM t"), 3);
  EXPECT_EQ(ResultColumns("select 1"), 1);
  EXPECT_EQ(ResultColumns("UPDATE t SET a = 1, b = 2 RETURNING a, b"), 2);
  EXPECT_EQ(ResultColumns("SELECT count(*) FROM t"), 1);
  EXPECT_EQ(ResultColumns("SELECT a * b FROM t"), 1);
  EXPECT_EQ(ResultColumns("SELECT * FROM t"), std::nullopt);
  EXPECT_EQ(ResultColumns("SELECT a, * FROM t"), std::nullopt);
  EXPECT_EQ(ResultColumns("SELECT t.* FROM t"), std::nullopt);
  EXPECT_EQ(ResultColumns("UPDATE t SET a = 1"), std::nullopt);
}

}  // namespace
}  // namespace sysfleet
