#include "common/base/clock.h"

#include <gtest/gtest.h>

#include <string>

namespace sysfleet {
namespace {

TEST(Clock, FormatsUtc) {
  struct Case {
    int64_t unix_ms;
    std::string compact;
    std::string iso;
  };
  const Case cases[] = {
      {0, "19700101T000000Z", "1970-01-01T00:00:00Z"},
      {1'000'000'000'999, "20010909T014640Z", "2001-09-09T01:46:40Z"},
      {951'782'400'000, "20000229T000000Z", "2000-02-29T00:00:00Z"},
      {1'796'065'334'000, "20261130T190214Z", "2026-11-30T19:02:14Z"},
      {4'102'444'799'000, "20991231T235959Z", "2099-12-31T23:59:59Z"},
  };
  for (const Case& c : cases) {
    const std::chrono::system_clock::time_point time{std::chrono::milliseconds(c.unix_ms)};
    EXPECT_EQ(CompactUtc(time), c.compact);
    EXPECT_EQ(IsoUtc(time), c.iso);
  }
}

TEST(Clock, SteadyNanosNeverGoBack) {
  int64_t previous = SteadyNanos();
  for (int i = 0; i < 1000; ++i) {
    const int64_t now = SteadyNanos();
    ASSERT_GE(now, previous);
    previous = now;
  }
}

TEST(Clock, SteadyNanosAreNanoseconds) {
  const auto before = std::chrono::steady_clock::now();
  const int64_t now_ns = SteadyNanos();
  const auto after = std::chrono::steady_clock::now();
  const std::chrono::steady_clock::time_point now{std::chrono::nanoseconds(now_ns)};
  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
}

}  // namespace
}  // namespace sysfleet
