// Texts of the client libraries.
#include <gtest/gtest.h>

#include "agent/database/message.h"
#include "agent/database/postgresql/connect_error.h"

namespace sysfleet {
namespace {

TEST(OneLineTest, WhiteSpaceBecomesSingleBlanks) {
  EXPECT_EQ(OneLine(""), "");
  EXPECT_EQ(OneLine(" \n\t"), "");
  EXPECT_EQ(OneLine("one"), "one");
  EXPECT_EQ(OneLine("\n one\r\n\ttwo  three\n"), "one two three");
}

TEST(ParseConnectErrorTest, FindsTheServersCode) {
  const struct {
    std::string_view text, code, message;
  } cases[] = {
      {"connection to server at \"::1\", port 5432 failed: FATAL:  28P01: password authentication "
       "failed for user \"u\"\nLOCATION:  auth_failed, auth.c:334\n",
       "28P01", "password authentication failed for user \"u\""},
      {"connection failed: FATALE:  3D000: il database non esiste\n", "3D000",
       "il database non esiste"},
      {"a:  b\nconnection failed: FATAL:  53300: sorry, too many clients already\n", "53300",
       "sorry, too many clients already"},
      {"connection failed: Connection refused\n\tIs the server running?\n", "lost",
       "connection failed: Connection refused Is the server running?"},
      {"odd:  28P0", "lost", "odd: 28P0"},
      {"odd:  28p01: x", "lost", "odd: 28p01: x"},
      {"", "lost", ""},
  };
  for (const auto& expected : cases) {
    const ConnectError error = ParseConnectError(expected.text);
    EXPECT_EQ(error.code, expected.code) << expected.text;
    EXPECT_EQ(error.message, expected.message) << expected.text;
  }
}

}  // namespace
}  // namespace sysfleet
