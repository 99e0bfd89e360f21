#include "agent/engine/arrivals.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/base/clock.h"

namespace sysfleet {
namespace {

TEST(Arrivals, EvenOnesLieAtEqualDistancesOverTheFleet) {
  Arrivals second({.rate_per_s = 1'000, .even = true}, 1, 4, 7);
  std::vector<int64_t> starts;
  for (int i = 0; i < 3; ++i, second.Advance()) starts.push_back(second.next_ns());
  EXPECT_EQ(starts, (std::vector<int64_t>{1'000'000, 5'000'000, 9'000'000}));
}

TEST(Arrivals, EvenOnesDoNotDrift) {
  Arrivals arrivals({.rate_per_s = 3, .even = true}, 0, 1, 7);
  EXPECT_EQ(arrivals.SkipTo(1'000 * kNanosPerSecond), 3'000);
  EXPECT_EQ(arrivals.next_ns(), 1'000 * kNanosPerSecond);
}

TEST(Arrivals, RandomOnesHaveTheRateAndItsVariance) {
  int64_t total = 0;
  double squares = 0;
  constexpr int kSeconds = 2'000;
  Arrivals arrivals({.rate_per_s = 400}, 3, 4, 7);
  for (int64_t second = 1; second <= kSeconds; ++second) {
    const int64_t count = arrivals.SkipTo(second * kNanosPerSecond);
    total += count;
    squares += static_cast<double>((count - 100) * (count - 100));
  }
  // 100 a second; the standard deviation of the sum is 447, that of the variance 3.2.
  EXPECT_NEAR(static_cast<double>(total), 100.0 * kSeconds, 2'300);
  EXPECT_NEAR(squares / kSeconds, 100, 16);
}

TEST(Arrivals, SkippingLeavesOutOnlyWhatLiesBefore) {
  Arrivals arrivals({.rate_per_s = 10, .even = true}, 0, 1, 7);
  EXPECT_EQ(arrivals.SkipTo(250'000'000), 3);  // 0, 100, 200 ms
  EXPECT_EQ(arrivals.next_ns(), 300'000'000);
  EXPECT_EQ(arrivals.SkipTo(300'000'000), 0);
}

}  // namespace
}  // namespace sysfleet
