#include "coordinator/fleet/clock_estimate.h"

#include <gtest/gtest.h>

namespace sysfleet {
namespace {

TEST(ClockEstimate, BelievesTheFastestRoundTrip) {
  ClockEstimate estimate;
  // The agent's clock is 1000 ahead; the way there takes 10 and back 10.
  estimate.Add(100, 1110, 120);
  EXPECT_EQ(estimate.offset_ns(), 1000);
  EXPECT_EQ(estimate.round_trip_ns(), 20);
  // A slow answer, whose way back took 500, would say 750: it is not believed.
  estimate.Add(200, 1210, 710);
  EXPECT_EQ(estimate.offset_ns(), 1000);
  estimate.Add(800, 1802, 804);
  EXPECT_EQ(estimate.offset_ns(), 1000);
  EXPECT_EQ(estimate.round_trip_ns(), 4);
  EXPECT_EQ(estimate.samples(), 3);
}

TEST(ClockEstimate, IsWrongByHalfTheRoundTripAtMost) {
  for (int64_t there = 0; there <= 50; ++there) {
    ClockEstimate estimate;
    estimate.Add(1000, 1000 + there - 77, 1050);
    EXPECT_LE(std::abs(estimate.offset_ns() - -77), 25) << there;
  }
}

}  // namespace
}  // namespace sysfleet
