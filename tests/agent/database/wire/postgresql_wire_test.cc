#include <gtest/gtest.h>

#include "agent/database/postgresql/wire.h"
#include "tests/agent/database/wire/pieces.h"

namespace sysfleet {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

// A message: its type, its length, its content.
std::string M(char type, std::string_view body) {
  std::string message(1, type);
  const size_t length = body.size() + 4;
  for (int shift = 24; shift >= 0; shift -= 8) message += static_cast<char>(length >> shift);
  return message.append(body);
}

const std::string kBound = M('2', "");
const std::string kColumns = M('T', "\0\1c\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0"sv);
const std::string kNoColumns = M('n', "");
const std::string kIdle = M('Z', "I");
const std::string kOpen = M('Z', "T");
const std::string kFailed = M('Z', "E");

std::string Row(size_t bytes) {
  std::string body = "\0\1"s;
  for (int shift = 24; shift >= 0; shift -= 8) body += static_cast<char>(bytes >> shift);
  return M('D', body + std::string(bytes, 'D'));
}

std::string Error(std::string_view severity, std::string_view code, std::string_view text) {
  std::string body = "Sseverity in some language\0V"s;
  body.append(severity).append("\0C"sv).append(code).append("\0M"sv).append(text);
  return M('E', body.append("\0Llocation\0\0"sv));
}

TEST(PostgresqlExecuteTest, IsBindDescribeExecuteSync) {
  std::string out = "kept";
  const ParameterType types[] = {ParameterType::kInt32, ParameterType::kInt64,
                                 ParameterType::kText};
  const Value values[] = {{.integer = -2}, {.integer = 0x0102030405060708}, {.text = "größe"}};
  AppendPostgresqlExecute("s12", types, values, out);
  EXPECT_EQ(out, "kept" +
                     M('B',
                       "\0s12\0"   // the unnamed portal, the statement
                       "\0\1\0\1"  // all values are binary
                       "\0\3"
                       "\0\0\0\4\xff\xff\xff\xfe"
                       "\0\0\0\x8\1\2\3\4\5\6\7\x8"
                       "\0\0\0\7gr\xc3\xb6\xc3\x9f"
                       "e"
                       "\0\1\0\1"sv) +  // and so are the results
                     M('D', "P\0"sv) +
                     M('E', "\0\0\0\0\0"sv) + M('S', ""));
}

TEST(PostgresqlExecuteTest, MayHaveNoParameters) {
  std::string out;
  AppendPostgresqlExecute("s0", {}, {}, out);
  EXPECT_EQ(out, M('B', "\0s0\0\0\0\0\0\0\1\0\1"sv) + M('D', "P\0"sv) + M('E', "\0\0\0\0\0"sv) +
                     M('S', ""));
}

TEST(PostgresqlReplyTest, IsTheSameInAnyPieces) {
  const struct {
    std::string bytes;
    OutcomeKind kind;
    int64_t rows;
    bool in_transaction;
    std::string code;
    std::string message;
  } cases[] = {
      {kBound + kColumns + Row(120) + M('C', "SELECT 1\0"sv) + kIdle, OutcomeKind::kRows, 1, false,
       "", ""},
      {kBound + kColumns + M('C', "SELECT 0\0"sv) + kOpen, OutcomeKind::kRows, 0, true, "", ""},
      {kBound + kColumns + Row(0) + Row(70'000) + Row(5) + M('C', "SELECT 3\0"sv) + kIdle,
       OutcomeKind::kRows, 3, false, "", ""},
      {kBound + kNoColumns + M('C', "UPDATE 12\0"sv) + kOpen, OutcomeKind::kChanged, 12, true, "",
       ""},
      {kBound + kNoColumns + M('C', "INSERT 0 1\0"sv) + kIdle, OutcomeKind::kChanged, 1, false, "",
       ""},
      {kBound + kNoColumns + M('C', "DELETE 0\0"sv) + kOpen, OutcomeKind::kNothing, 0, true, "",
       ""},
      {kBound + kNoColumns + M('C', "BEGIN\0"sv) + kOpen, OutcomeKind::kNothing, 0, true, "", ""},
      {kBound + kNoColumns + M('I', "") + kIdle, OutcomeKind::kNothing, 0, false, "", ""},
      {M('N', "Sx\0\0"sv) + kBound + kNoColumns + M('S', "a\0b\0"sv) + M('C', "COMMIT\0"sv) + kIdle,
       OutcomeKind::kNothing, 0, false, "", ""},
      {kBound + kColumns + Row(1) + Error("ERROR", "40001", "try\nagain") + kFailed,
       OutcomeKind::kError, 0, true, "40001", "try again"},
      {Error("ERROR", "26000", "first") + kIdle, OutcomeKind::kError, 0, false, "26000", "first"},
  };
  for (const auto& c : cases) {
    for (const size_t piece : kPieces) {
      PostgresqlReplyReader reader;
      reader.Begin();
      EXPECT_EQ(ReadInPieces(reader, c.bytes, piece), ReplyState::kWhole);
      EXPECT_EQ(reader.reply().kind, c.kind) << c.bytes << " in pieces of " << piece;
      EXPECT_EQ(reader.reply().rows, c.rows) << c.bytes;
      EXPECT_EQ(reader.in_transaction(), c.in_transaction) << c.bytes;
      EXPECT_EQ(reader.reply().error_code, c.code);
      EXPECT_EQ(reader.reply().error_message, c.message);
      EXPECT_FALSE(reader.reply().fatal);
    }
  }
}

TEST(PostgresqlReplyTest, AFatalErrorIsTheLastWord) {
  PostgresqlReplyReader reader;
  reader.Begin();
  EXPECT_EQ(reader.Read(Error("FATAL", "57P01", "terminating connection")), ReplyState::kWhole);
  EXPECT_TRUE(reader.reply().fatal);
  EXPECT_EQ(reader.reply().error_code, "57P01");
}

// What the server says unasked comes behind a reply, and must not be taken for the next one's.
TEST(PostgresqlReplyTest, WhatComesBehindAReplyBelongsToTheNext) {
  const std::string reply = kBound + kNoColumns + M('C', "UPDATE 1\0"sv) + kIdle;
  const std::string notice = M('N', "Snotice\0\0"sv);
  for (size_t cut = 0; cut <= notice.size(); ++cut) {
    PostgresqlReplyReader reader;
    reader.Begin();
    EXPECT_EQ(reader.Read(reply + notice.substr(0, cut)), ReplyState::kWhole);
    reader.Begin();
    EXPECT_EQ(reader.Read(notice.substr(cut) + reply), ReplyState::kWhole);
    EXPECT_EQ(reader.reply().kind, OutcomeKind::kChanged);
    EXPECT_EQ(reader.reply().rows, 1);
  }
}

TEST(PostgresqlReplyTest, WhatCannotBeUnderstoodBreaks) {
  for (const std::string& bytes :
       {M('?', "x"), "Z\0\0\0\0"s, M('Z', ""), M('G', "\0\0\0"sv), "E\x7f\xff\xff\xff"s}) {
    PostgresqlReplyReader reader;
    reader.Begin();
    EXPECT_EQ(reader.Read(bytes), ReplyState::kBroken) << bytes;
    EXPECT_EQ(reader.reply().error_code, "lost");
    EXPECT_FALSE(reader.reply().error_message.empty());
  }
}

TEST(PostgresqlReplyTest, NoBytesAreRuinous) {
  FeedNoise<PostgresqlReplyReader>(kBound + kColumns + Row(9) + M('C', "SELECT 1\0"sv) + kIdle);
}

}  // namespace
}  // namespace sysfleet
