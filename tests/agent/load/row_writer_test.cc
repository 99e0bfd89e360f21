#include "agent/load/row_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/base/status.h"
#include "tests/agent/load/table_data.h"

namespace sysfleet {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

RowWriter WriterOf(v1::LoadMethod method, DriverFamily family) {
  absl::StatusOr<RowWriter> writer = RowWriter::Compile(RowsOf("t", method), family);
  EXPECT_TRUE(writer.ok()) << Message(writer.status());
  return *std::move(writer);
}

std::string RowOf(RowWriter& writer, int64_t row) {
  std::string text;
  writer.Append(row, text);
  return text;
}

TEST(RowWriterTest, WritesEachFormat) {
  RowWriter copy = WriterOf(v1::LOAD_METHOD_COPY, DriverFamily::kPostgresql);
  EXPECT_EQ(copy.sql(), "COPY t (id, k, c, pad) FROM STDIN");
  EXPECT_THAT(RowOf(copy, 7), MatchesRegex("7\t[0-9]+\t[0-9]{11}-[a-z]{3}\tit's\\\\t\\\\\\\\[0-9]"
                                           "\\\\n\\\\\\\\N\n"));
  RowWriter infile = WriterOf(v1::LOAD_METHOD_LOCAL_INFILE, DriverFamily::kMysql);
  EXPECT_EQ(infile.sql(),
            "LOAD DATA LOCAL INFILE 'rows' INTO TABLE t CHARACTER SET binary (id, k, c, pad)");
  EXPECT_EQ(RowOf(infile, 7), RowOf(copy, 7));
  RowWriter insert = WriterOf(v1::LOAD_METHOD_INSERT, DriverFamily::kMysql);
  EXPECT_EQ(insert.sql(), "INSERT INTO t (id, k, c, pad) VALUES ");
  EXPECT_THAT(RowOf(insert, 7),
              MatchesRegex("\\(7,[0-9]+,'[0-9]{11}-[a-z]{3}','it''s\t\\\\\\\\[0-9]"
                           "\n\\\\\\\\N'\\)"));
}

TEST(RowWriterTest, EscapesTextsOfAnyLength) {
  const struct {
    v1::LoadMethod method;
    DriverFamily family;
    std::set<std::string> texts;
    std::set<std::string> random_texts;
  } cases[] = {
      {v1::LOAD_METHOD_COPY,
       DriverFamily::kPostgresql,
       {"", "it's", R"(a\\b)"},
       {"'", R"(\\)", "''", R"('\\)", R"(\\')", R"(\\\\)"}},
      {v1::LOAD_METHOD_INSERT,
       DriverFamily::kMysql,
       {"''", "'it''s'", R"('a\\b')"},
       {"''''", R"('\\')", "''''''", R"('''\\')", R"('\\''')", R"('\\\\')"}},
      {v1::LOAD_METHOD_INSERT,
       DriverFamily::kPostgresql,
       {"''", "'it''s'", R"('a\b')"},
       {"''''", R"('\')", "''''''", R"('''\')", R"('\''')", R"('\\')"}},
  };
  for (const auto& c : cases) {
    RowWriter writer = *RowWriter::Compile(VaryingRowsOf(c.method), c.family);
    const bool lines = writer.format() == LoadFormat::kLines;
    std::set<std::string> texts;
    std::set<std::string> random_texts;
    for (int64_t row = 1; row <= 200; ++row) {
      const std::string text = RowOf(writer, row);
      EXPECT_LE(text.size(), writer.row_bytes_max());
      const size_t separator = text.find(lines ? '\t' : ',');
      const size_t margin = lines ? 0 : 1;
      texts.insert(text.substr(margin, separator - margin));
      random_texts.insert(text.substr(separator + 1, text.size() - separator - 2));
    }
    EXPECT_EQ(texts, c.texts);
    EXPECT_EQ(random_texts, c.random_texts);
  }
}

TEST(RowWriterTest, RefusesColumnsThatDoNotFollowFromTheirRow) {
  v1::Generator generators[5];
  generators[0].mutable_slice()->set_size(10);
  generators[1].mutable_connection()->set_modulus(10);
  generators[2].mutable_counter();
  generators[3].mutable_captured()->set_type(v1::COLUMN_TYPE_INT32);
  // Of a column that is drawn later.
  generators[4].mutable_offset()->set_variable(4);
  for (const v1::Generator& generator : generators) {
    v1::TableData table = RowsOf("t", v1::LOAD_METHOD_COPY);
    AddColumn(table, "extra", v1::COLUMN_TYPE_INT32, generator);
    EXPECT_THAT(Message(RowWriter::Compile(table, DriverFamily::kPostgresql).status()),
                StartsWith("table t, column extra: "));
  }
}

TEST(RowWriterTest, ARowIsTheSameWhereverItIsWritten) {
  RowWriter in_order = WriterOf(v1::LOAD_METHOD_COPY, DriverFamily::kPostgresql);
  RowWriter backwards = WriterOf(v1::LOAD_METHOD_COPY, DriverFamily::kPostgresql);
  std::vector<std::string> rows;
  for (int64_t row = 1; row <= 100; ++row) rows.push_back(RowOf(in_order, row));
  for (int64_t row = 100; row >= 1; --row) {
    EXPECT_EQ(RowOf(backwards, row), rows[static_cast<size_t>(row) - 1]);
  }
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(std::unique(rows.begin(), rows.end()), rows.end());
}

TEST(RowWriterTest, AnotherSeedGivesOtherRows) {
  v1::TableData table = RowsOf("t", v1::LOAD_METHOD_COPY);
  RowWriter one = *RowWriter::Compile(table, DriverFamily::kPostgresql);
  table.set_seed(43);
  RowWriter other = *RowWriter::Compile(table, DriverFamily::kPostgresql);
  for (int64_t row = 1; row <= 100; ++row) EXPECT_NE(RowOf(one, row), RowOf(other, row));
}

TEST(RowWriterTest, LinesComeInPieces) {
  RowWriter writer = WriterOf(v1::LOAD_METHOD_COPY, DriverFamily::kPostgresql);
  std::string expected;
  for (int64_t row = 5; row <= 5000; ++row) writer.Append(row, expected);
  RowLines lines(writer, 5, 5000);
  std::string together;
  int pieces = 0;
  for (std::string_view piece = lines.Next(); !piece.empty(); piece = lines.Next()) {
    together += piece;
    ++pieces;
  }
  EXPECT_EQ(together, expected);
  EXPECT_GT(pieces, 1);
  EXPECT_TRUE(lines.Next().empty());
}

TEST(RowWriterTest, InsertStatementsStayBelowTheirLimit) {
  RowWriter writer = WriterOf(v1::LOAD_METHOD_INSERT, DriverFamily::kMysql);
  InsertStatements statements(writer, 1, 50'000);
  int64_t rows = 0;
  int count = 0;
  for (std::string_view sql = statements.Next(); !sql.empty(); sql = statements.Next()) {
    EXPECT_LE(sql.size(), InsertStatements::kStatementBytesMax);
    EXPECT_THAT(std::string(sql), StartsWith(writer.sql() + "(" + std::to_string(rows + 1) + ","));
    EXPECT_TRUE(sql.ends_with("')"));
    rows += std::count(sql.begin(), sql.end(), '(') - 1;
    ++count;
  }
  EXPECT_EQ(rows, 50'000);
  // Of about 50 bytes each.
  EXPECT_EQ(count, 3);
}

TEST(RowWriterTest, ARowLongerThanTheLimitIsAStatementByItself) {
  v1::TableData table = RowsOf("t", v1::LOAD_METHOD_INSERT);
  table.mutable_columns(2)->mutable_generator()->mutable_pattern()->set_text(
      std::string(InsertStatements::kStatementBytesMax, '#'));
  RowWriter writer = *RowWriter::Compile(table, DriverFamily::kPostgresql);
  InsertStatements statements(writer, 1, 2);
  EXPECT_THAT(std::string(statements.Next().substr(0, 50)), HasSubstr("VALUES (1,"));
  EXPECT_THAT(std::string(statements.Next().substr(0, 50)), HasSubstr("VALUES (2,"));
  EXPECT_TRUE(statements.Next().empty());
}

TEST(RowWriterTest, RefusesWhatItCannotWrite) {
  const auto error = [](const v1::TableData& table, DriverFamily family) {
    return Message(RowWriter::Compile(table, family).status());
  };
  const v1::TableData good = RowsOf("t", v1::LOAD_METHOD_COPY);
  EXPECT_EQ(error(good, DriverFamily::kMysql), "the MySQL family cannot load by LOAD_METHOD_COPY");
  EXPECT_EQ(error(RowsOf("t", v1::LOAD_METHOD_LOCAL_INFILE), DriverFamily::kPostgresql),
            "the PostgreSQL family cannot load by LOAD_METHOD_LOCAL_INFILE");
  EXPECT_EQ(error(RowsOf("t", v1::LOAD_METHOD_UNSPECIFIED), DriverFamily::kPostgresql),
            "the PostgreSQL family cannot load by LOAD_METHOD_UNSPECIFIED");
  v1::TableData empty = good;
  empty.clear_columns();
  EXPECT_EQ(error(empty, DriverFamily::kPostgresql), "a table without columns");
  v1::TableData unique = good;
  unique.mutable_columns(0)->mutable_generator()->mutable_unique_id();
  EXPECT_EQ(error(unique, DriverFamily::kPostgresql),
            "table t, column id: its generator does not follow from the number of a row");
  v1::TableData mistyped = good;
  mistyped.mutable_columns(1)->set_type(v1::COLUMN_TYPE_TEXT);
  EXPECT_EQ(error(mistyped, DriverFamily::kPostgresql),
            "table t, column k: generator and type do not fit");
}

}  // namespace
}  // namespace sysfleet
