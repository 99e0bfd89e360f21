#include "coordinator/plan/values.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace sysfleet {
namespace {

using std::chrono::seconds;

TEST(ParseInteger, TakesDigitsUnderscoresAndDecimalSuffixes) {
  const std::pair<std::string_view, int64_t> cases[] = {
      {"0", 0},
      {"7", 7},
      {"-4", -4},
      {"10000000", 10'000'000},
      {"10_000_000", 10'000'000},
      {"10M", 10'000'000},
      {"100k", 100'000},
      {"100K", 100'000},
      {"2g", 2'000'000'000},
      {"1T", 1'000'000'000'000},
      {"9223372036854775807", INT64_MAX},
  };
  for (const auto& [text, number] : cases) EXPECT_EQ(ParseInteger(text), number) << text;
}

TEST(ParseInteger, TakesNothingElse) {
  for (const std::string_view text : {"",
                                      "-",
                                      "k",
                                      "1e3",
                                      "08",
                                      "0x10",
                                      "1.5",
                                      "1.5M",
                                      "+5",
                                      " 5",
                                      "5 ",
                                      "1__0",
                                      "_1",
                                      "1_",
                                      "1_k",
                                      "10MB",
                                      "10^12",
                                      "--1",
                                      "9223372036854775808",
                                      "9223372036855T"}) {
    EXPECT_EQ(ParseInteger(text), std::nullopt) << text;
  }
}

TEST(ParseDecimal, TakesDigitsAndOnePoint) {
  EXPECT_EQ(ParseDecimal("95"), 95.0);
  EXPECT_EQ(ParseDecimal("99.9"), 99.9);
  EXPECT_EQ(ParseDecimal("0.5"), 0.5);
  for (const std::string_view text :
       {"", ".5", "5.", "1e1", "nan", "inf", "-1", "9_5", "1.2.3", "95%", "0x1p3"}) {
    EXPECT_EQ(ParseDecimal(text), std::nullopt) << text;
  }
}

TEST(ParseDuration, TakesHoursMinutesSeconds) {
  const std::pair<std::string_view, int> cases[] = {
      {"0", 0},        {"600", 600},   {"600s", 600},    {"10m", 600},  {"2h", 7200},
      {"1h30m", 5400}, {"1h5s", 3605}, {"1h1m1s", 3661}, {"90m", 5400},
  };
  for (const auto& [text, count] : cases) EXPECT_EQ(ParseDuration(text), seconds(count)) << text;
}

TEST(ParseDuration, TakesNothingElse) {
  for (const std::string_view text : {"", "s", "ten", "10 s", "500ms", "1.5s", "5m1h", "1m1m",
                                      "1h30", "-5s", "08s", "1d", "10M", "99999999999s"}) {
    EXPECT_EQ(ParseDuration(text), std::nullopt) << text;
  }
}

TEST(ParseSwitch, KnowsSysbenchsAndYamlsWords) {
  for (const std::string_view text : {"on", "true", "yes", "1", "True", "ON"}) {
    EXPECT_EQ(ParseSwitch(text), true) << text;
  }
  for (const std::string_view text : {"off", "false", "no", "0", "FALSE"}) {
    EXPECT_EQ(ParseSwitch(text), false) << text;
  }
  for (const std::string_view text : {"", "2", "y", "maybe"}) {
    EXPECT_EQ(ParseSwitch(text), std::nullopt) << text;
  }
}

TEST(IsPlainName, IsWhatCanNameAFolder) {
  for (const std::string_view name : {"a", "tdstore-v20.0.0", "A_b-1", "..."}) {
    EXPECT_TRUE(IsPlainName(name)) << name;
  }
  for (const std::string_view name : {"", ".", "..", "a b", "a/b", "ä", "a\n"}) {
    EXPECT_FALSE(IsPlainName(name)) << name;
  }
  EXPECT_TRUE(IsPlainName(std::string(100, 'a')));
  EXPECT_FALSE(IsPlainName(std::string(101, 'a')));
}

}  // namespace
}  // namespace sysfleet
