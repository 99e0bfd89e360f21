#include "agent/load/prepared_insert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include "agent/load/row_writer.h"
#include "common/base/status.h"
#include "tests/agent/load/table_data.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr std::string_view kInsert = "INSERT INTO t (id, k, c, pad) VALUES ";

PreparedInsert InsertOf(const v1::TableData& table, DriverFamily family) {
  absl::StatusOr<PreparedInsert> insert = PreparedInsert::Compile(table, kInsert, family);
  EXPECT_TRUE(insert.ok()) << Message(insert.status());
  return *std::move(insert);
}

TEST(PreparedInsertTest, HasAPlaceholderForEachValue) {
  const v1::TableData table = RowsOf("t", v1::LOAD_METHOD_INSERT);
  const PreparedInsert mysql = InsertOf(table, DriverFamily::kMysql);
  ASSERT_EQ(mysql.rows(), 500);
  ASSERT_EQ(mysql.statements().size(), 1u);
  const std::string& sql = mysql.statements()[0].sql;
  EXPECT_THAT(sql, StartsWith(std::string(kInsert) + "(?,?,?,?),(?,?,?,?),("));
  EXPECT_EQ(std::count(sql.begin(), sql.end(), '?'), 2000);
  const std::vector<ParameterType>& types = mysql.statements()[0].parameters;
  ASSERT_EQ(types.size(), 2000u);
  EXPECT_THAT(std::vector(types.end() - 4, types.end()),
              ElementsAre(ParameterType::kInt32, ParameterType::kInt32, ParameterType::kText,
                          ParameterType::kText));

  const PreparedInsert postgresql = InsertOf(table, DriverFamily::kPostgresql);
  EXPECT_THAT(postgresql.statements()[0].sql,
              StartsWith(std::string(kInsert) + "($1,$2,$3,$4),($5,$6,$7,$8),("));
  EXPECT_THAT(postgresql.statements()[0].sql, EndsWith(",($1997,$1998,$1999,$2000)"));
}

TEST(PreparedInsertTest, GivesTheRowsThatAreWrittenAsText) {
  v1::TableData table = RowsOf("t", v1::LOAD_METHOD_INSERT);
  // Text that no format escapes, so that they can be compared as they are.
  table.mutable_columns(3)->mutable_generator()->mutable_pattern()->set_text("@@ ##");
  RowWriter writer = *RowWriter::Compile(table, DriverFamily::kMysql);
  PreparedInsert insert = InsertOf(table, DriverFamily::kMysql);
  for (const int64_t first_row : {1, 501, 7}) {
    const std::span<const Value> values = insert.Values(first_row);
    ASSERT_EQ(values.size(), 2000u);
    for (int64_t i = 0; i < insert.rows(); ++i) {
      const std::span<const Value> row = values.subspan(static_cast<size_t>(i) * 4, 4);
      EXPECT_EQ(row[0].integer, first_row + i);
      std::string text;
      writer.Append(first_row + i, text);
      EXPECT_EQ(text, "(" + std::to_string(row[0].integer) + "," + std::to_string(row[1].integer) +
                          ",'" + std::string(row[2].text) + "','" + std::string(row[3].text) +
                          "')");
    }
  }
}

TEST(PreparedInsertTest, TextIsNotEscaped) {
  PreparedInsert insert = InsertOf(RowsOf("t", v1::LOAD_METHOD_INSERT), DriverFamily::kPostgresql);
  EXPECT_THAT(std::string(insert.Values(1)[3].text), StartsWith("it's\t\\"));
  EXPECT_THAT(std::string(insert.Values(1)[3].text), EndsWith("\n\\N"));
}

TEST(PreparedInsertTest, TextsDifferInLength) {
  PreparedInsert insert = *PreparedInsert::Compile(VaryingRowsOf(v1::LOAD_METHOD_INSERT), kInsert,
                                                   DriverFamily::kMysql);
  std::set<std::string_view> texts;
  std::set<std::string_view> random_texts;
  const std::span<const Value> values = insert.Values(1);
  for (size_t i = 0; i < values.size(); i += 2) {
    texts.insert(values[i].text);
    random_texts.insert(values[i + 1].text);
  }
  EXPECT_EQ(texts, (std::set<std::string_view>{"", "it's", R"(a\b)"}));
  EXPECT_EQ(random_texts,
            (std::set<std::string_view>{"'", R"(\)", "''", R"('\)", R"(\')", R"(\\)"}));
}

TEST(PreparedInsertTest, HasFewerRowsWhereTheyAreLarge) {
  v1::TableData table = RowsOf("t", v1::LOAD_METHOD_INSERT);
  v1::Pattern& pad = *table.mutable_columns(3)->mutable_generator()->mutable_pattern();
  // With 15 bytes of c and 16 beside each value, a row has 100,000.
  pad.set_text(std::string(100'000 - 15 - 4 * 16, '#'));
  EXPECT_EQ(InsertOf(table, DriverFamily::kMysql).rows(), 10);
  pad.set_text(std::string(1 << 20, '#'));
  EXPECT_EQ(InsertOf(table, DriverFamily::kMysql).rows(), 1);

  v1::TableData wide = RowsOf("t", v1::LOAD_METHOD_INSERT);
  while (wide.columns_size() < 1000) *wide.add_columns() = wide.columns(0);
  EXPECT_EQ(InsertOf(wide, DriverFamily::kMysql).rows(), 62);
  while (wide.columns_size() < 2000) *wide.add_columns() = wide.columns(0);
  EXPECT_EQ(InsertOf(wide, DriverFamily::kMysql).rows(), 31);
}

TEST(PreparedInsertTest, RefusesWhatCannotBeGenerated) {
  v1::TableData unique = RowsOf("t", v1::LOAD_METHOD_INSERT);
  unique.mutable_columns(0)->mutable_generator()->mutable_unique_id();
  EXPECT_EQ(Message(PreparedInsert::Compile(unique, kInsert, DriverFamily::kPostgresql).status()),
            "table t, column id: its generator does not follow from the number of a row");
}

}  // namespace
}  // namespace sysfleet
