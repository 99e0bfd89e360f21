#include "common/base/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace sysfleet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(-123456), "-123,456");
  EXPECT_EQ(Grouped(std::numeric_limits<int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(WithThousands, SeparatesThousands) {
  const struct {
    double value;
    int decimals;
    const char* text;
  } cases[] = {
      {0, 0, "0"},
      {999, 0, "999"},
      {1000, 0, "1,000"},
      {-999, 0, "-999"},
      {-1000, 0, "-1,000"},
      {-123456, 0, "-123,456"},
      {0.04, 1, "0.0"},
      {999.95, 1, "1,000.0"},
      {1234.5, 1, "1,234.5"},
      {12345.678, 2, "12,345.68"},
      {1234567, 0, "1,234,567"},
      {123456, 1, "123,456.0"},
  };
  for (const auto& c : cases) EXPECT_EQ(WithThousands(c.value, c.decimals), c.text);
}

TEST(Counted, KnowsOne) {
  EXPECT_EQ(Counted(1, "cell"), "1 cell");
  EXPECT_EQ(Counted(0, "cell"), "0 cells");
  EXPECT_EQ(Counted(2000, "row"), "2,000 rows");
}

TEST(Joined, NamesAFew) {
  EXPECT_EQ(Joined({}), "");
  EXPECT_EQ(Joined({"a"}), "a");
  EXPECT_EQ(Joined({"a", "b", "c", "d"}), "a, b, c, d");
  EXPECT_EQ(Joined({"a", "b", "c", "d", "e", "f"}), "a, b, c, d and 2 more");
}

TEST(ForPeople, IsAsExactAsAPersonWantsIt) {
  const std::pair<std::chrono::nanoseconds, const char*> cases[] = {
      {milliseconds(0), "0 s"},        {seconds(9), "9 s"},
      {milliseconds(440), "0.4 s"},    {milliseconds(9'949), "9.9 s"},
      {milliseconds(9'950), "10 s"},   {milliseconds(59'400), "59 s"},
      {milliseconds(59'600), "1 min"}, {seconds(80), "1 min 20 s"},
      {seconds(600), "10 min"},        {seconds(3'599), "59 min 59 s"},
      {seconds(3'600), "1 h"},         {seconds(22'680), "6 h 18 min"},
      {seconds(7'259), "2 h"},
  };
  for (const auto& [duration, text] : cases) EXPECT_EQ(ForPeople(duration), text);
}

}  // namespace
}  // namespace sysfleet
