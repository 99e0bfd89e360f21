#include <gtest/gtest.h>

#include "agent/database/mysql/wire.h"
#include "tests/agent/database/wire/pieces.h"

namespace sysfleet {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr uint16_t kInTransaction = 0x1;
constexpr uint16_t kAutocommit = 0x2;

// A packet: its length, its sequence number (which nobody looks at), its content.
std::string P(std::string_view body) {
  std::string packet;
  for (int shift = 0; shift < 24; shift += 8) packet += static_cast<char>(body.size() >> shift);
  return packet.append("\7").append(body);
}

const std::string kColumn = P("\3def\6sbtest\1t\1t\1c\1c\x0c\x2d\0\xe0\1\0\0\xfe\0\0\0\0\0"sv);
const std::string kEnd = P("\xfe\0\0\2\0"sv);
const std::string kEndInTransaction = P("\xfe\0\0\3\0"sv);

std::string Row(size_t bytes) {
  return P("\0\0\xfd"s + static_cast<char>(bytes) + static_cast<char>(bytes >> 8) +
           static_cast<char>(bytes >> 16) + std::string(bytes, '\xfe'));
}

TEST(MysqlExecuteTest, HasTypesOnlyWhereTheyAreAskedFor) {
  const ParameterType types[] = {ParameterType::kInt32, ParameterType::kInt64,
                                 ParameterType::kText};
  const Value values[] = {{.integer = -2}, {.integer = 0x0102030405060708}, {.text = "abc"}};
  const std::string head =
      "\x17\x04\x03\x02\x01\0\1\0\0\0\0"s;  // command, id, flags, once, no NULL
  const std::string tail = "\xfe\xff\xff\xff\x8\7\6\5\4\3\2\1\3abc"s;
  const auto execute = [&](bool with_types) {
    std::string out;
    EXPECT_TRUE(AppendMysqlExecute(0x01020304, types, values, with_types, out));
    return out;
  };
  const std::string with = head + "\1\3\0\x8\0\xfe\0"s + tail;
  const std::string without = head + "\0"s + tail;
  EXPECT_EQ(execute(true), std::string(1, static_cast<char>(with.size())) + "\0\0\0"s + with);
  EXPECT_EQ(execute(false),
            std::string(1, static_cast<char>(without.size())) + "\0\0\0"s + without);
}

TEST(MysqlExecuteTest, MayHaveNoParameters) {
  std::string out;
  EXPECT_TRUE(AppendMysqlExecute(1, {}, {}, true, out));
  EXPECT_EQ(out, "\x0a\0\0\0\x17\1\0\0\0\0\1\0\0\0"s);
}

TEST(MysqlExecuteTest, TextsOfAllLengths) {
  const ParameterType type[] = {ParameterType::kText};
  const struct {
    size_t size;
    std::string prefix;
  } cases[] = {
      {250, "\xfa"}, {251, "\xfc\xfb\0"s}, {65'535, "\xfc\xff\xff"s}, {65'536, "\xfd\0\0\1"s}};
  for (const auto& c : cases) {
    const std::string text(c.size, 'x');
    const Value value[] = {{.text = text}};
    std::string out;
    EXPECT_TRUE(AppendMysqlExecute(1, type, value, false, out));
    EXPECT_TRUE(out.ends_with("\0"s + c.prefix + text)) << c.size;
  }
  const std::string too_long(1 << 24, 'x');
  const Value value[] = {{.text = too_long}};
  std::string out;
  EXPECT_FALSE(AppendMysqlExecute(1, type, value, false, out));
}

TEST(MysqlReplyTest, IsTheSameInAnyPieces) {
  const struct {
    std::string bytes;
    OutcomeKind kind;
    int64_t rows;
    uint16_t status;
    std::string code;
    std::string message;
  } cases[] = {
      {P("\0\0\0\2\0\0\0"sv), OutcomeKind::kNothing, 0, kAutocommit, "", ""},
      {P("\0\0\0\3\0\0\0"sv), OutcomeKind::kNothing, 0, kAutocommit | kInTransaction, "", ""},
      {P("\0\1\0\2\0\0\0"sv), OutcomeKind::kChanged, 1, kAutocommit, "", ""},
      // More rows and a last id that take more than one byte.
      {P("\0\xfc\x10\x27\xfd\1\2\3\2\0\0\0"sv), OutcomeKind::kChanged, 10'000, kAutocommit, "", ""},
      {P("\1"sv) + kColumn + kEnd + Row(120) + kEnd, OutcomeKind::kRows, 1, kAutocommit, "", ""},
      {P("\1"sv) + kColumn + kEnd + kEndInTransaction, OutcomeKind::kRows, 0,
       kAutocommit | kInTransaction, "", ""},
      {P("\2"sv) + kColumn + kColumn + kEnd + Row(5) + Row(70'000) + Row(0) + kEnd,
       OutcomeKind::kRows, 3, kAutocommit, "", ""},
      // MariaDB's byte behind the number of columns: they follow, or they do not.
      {P("\1\1"sv) + kColumn + kEnd + Row(9) + kEnd, OutcomeKind::kRows, 1, kAutocommit, "", ""},
      {P("\1\0"sv) + kEnd + Row(9) + kEnd, OutcomeKind::kRows, 1, kAutocommit, "", ""},
      // A procedure: two results, and how it went.
      {P("\1"sv) + kColumn + P("\xfe\0\0\x0a\0"sv) + Row(1) + P("\xfe\0\0\x0a\0"sv) + P("\1"sv) +
           kColumn + kEnd + Row(1) + Row(1) + P("\xfe\0\0\x0a\0"sv) + P("\0\0\0\2\0\0\0"sv),
       OutcomeKind::kRows, 3, kAutocommit, "", ""},
      {P("\xff\xbd\4#40001Deadlock found;\n try again"sv), OutcomeKind::kError, 0, 0, "1213",
       "Deadlock found; try again"},
      {P("\1"sv) + kColumn + kEnd + Row(3) + P("\xff\x25\5#70100interrupted"sv),
       OutcomeKind::kError, 0, 0, "1317", "interrupted"},
      {P("\xff\x10\4no state"sv), OutcomeKind::kError, 0, 0, "1040", "no state"},
  };
  for (const auto& c : cases) {
    for (const size_t piece : kPieces) {
      MysqlReplyReader reader;
      reader.Begin();
      EXPECT_EQ(ReadInPieces(reader, c.bytes, piece), ReplyState::kWhole) << c.message;
      EXPECT_EQ(reader.reply().kind, c.kind) << "in pieces of " << piece;
      EXPECT_EQ(reader.reply().rows, c.rows);
      EXPECT_EQ(reader.status(), c.status);
      EXPECT_EQ(reader.reply().error_code, c.code);
      EXPECT_EQ(reader.reply().error_message, c.message);
    }
  }
}

TEST(MysqlReplyTest, WhatCannotBeUnderstoodBreaks) {
  for (const std::string& bytes :
       {"\0\0\0\1x"s, P("\0\0"sv), P("\xfb/etc/passwd"), P("\xff\1"sv),
        P("\1"sv) + kColumn + P("\5"sv), P("\1"sv) + kColumn + kEnd + P("\5"sv)}) {
    MysqlReplyReader reader;
    reader.Begin();
    EXPECT_EQ(reader.Read(bytes), ReplyState::kBroken) << bytes;
    EXPECT_FALSE(reader.reply().error_message.empty());
  }
}

TEST(MysqlReplyTest, NoBytesAreRuinous) {
  FeedNoise<MysqlReplyReader>(P("\1"sv) + kColumn + kEnd + Row(9) + kEnd);
}

}  // namespace
}  // namespace sysfleet
