#include "common/rpc/lease.h"

#include <gtest/gtest.h>

namespace sysfleet {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kMilli = 1'000'000;

TEST(Lease, LastsAsLongAsTheOtherSideIsHeard) {
  Lease lease(milliseconds(1'000), 0);
  for (int64_t now_ms = 0; now_ms <= 5'000; now_ms += 500) {
    lease.OnLook(now_ms * kMilli);
    lease.OnHeard(now_ms * kMilli);
    EXPECT_FALSE(lease.IsOver(now_ms * kMilli));
  }
  EXPECT_FALSE(lease.IsOver(6'000 * kMilli));
  EXPECT_EQ(lease.Silence(6'000 * kMilli), milliseconds(1'000));
  EXPECT_TRUE(lease.IsOver(6'000 * kMilli + 1));
}

TEST(Lease, IsOverForAProcessThatStoodStill) {
  Lease lease(milliseconds(1'000), 0);
  lease.OnLook(500 * kMilli);
  EXPECT_FALSE(lease.stood_still());
  // It wakes up after 1.1 s, and what its sockets kept for it is new to it.
  lease.OnHeard(1'600 * kMilli);
  lease.OnLook(1'600 * kMilli);
  EXPECT_TRUE(lease.stood_still());
  EXPECT_TRUE(lease.IsOver(1'600 * kMilli));
}

TEST(Lease, BeatsOftenEnoughForSomeToBeLost) {
  EXPECT_EQ(Lease(milliseconds(10'000), 0).heartbeat(), milliseconds(1'250));
  EXPECT_EQ(Lease(milliseconds(2'000), 0).heartbeat(), milliseconds(250));
  EXPECT_EQ(Lease(milliseconds(100), 0).heartbeat(), milliseconds(20));
  EXPECT_EQ(Lease(milliseconds(600'000), 0).heartbeat(), milliseconds(1'250));
}

}  // namespace
}  // namespace sysfleet
