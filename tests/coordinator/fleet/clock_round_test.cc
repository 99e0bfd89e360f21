#include "coordinator/fleet/clock_round.h"

#include <gtest/gtest.h>

namespace sysfleet {
namespace {

TEST(ClockRound, AsksEachAgentAndThenTheNext) {
  ClockRound round(3, 2);
  // Two at a time.
  ASSERT_EQ(round.BeginNext(), 0U);
  EXPECT_EQ(round.OnPing(0, 1'000), 1U);
  ASSERT_EQ(round.BeginNext(), 1U);
  EXPECT_EQ(round.OnPing(1, 1'010), 1U);

  // Agent 1 answers first, and again; its clock is 5 s ahead.
  ASSERT_EQ(round.OnPong(1, 1, 5'000'000'020, 1'030), 1U);
  EXPECT_EQ(round.OnPing(1, 2'000), 2U);
  ASSERT_EQ(round.OnPong(1, 2, 5'000'002'002, 2'004), 2U);
  EXPECT_EQ(round.OnPing(2, 2'010), 1U);
  EXPECT_EQ(round.estimate(1).offset_ns(), 5'000'000'000);
  EXPECT_EQ(round.estimate(1).round_trip_ns(), 4);
  EXPECT_EQ(round.Awaited(), 0U);

  ASSERT_EQ(round.OnPong(0, 1, 1'050, 1'100), 0U);
  EXPECT_EQ(round.OnPing(0, 3'000), 2U);
  // Nobody is left to begin with.
  EXPECT_EQ(round.OnPong(0, 2, 3'005, 3'010), std::nullopt);
  EXPECT_EQ(round.Awaited(), 2U);
  ASSERT_EQ(round.OnPong(2, 1, 2'015, 2'020), 2U);
  EXPECT_EQ(round.OnPing(2, 4'000), 2U);
  EXPECT_FALSE(round.finished());
  EXPECT_EQ(round.OnPong(2, 2, 4'005, 4'010), std::nullopt);
  EXPECT_TRUE(round.finished());
}

TEST(ClockRound, PassesOverAnswersOfAnEarlierRound) {
  ClockRound round(1, 1);
  ASSERT_EQ(round.BeginNext(), 0U);
  EXPECT_EQ(round.BeginNext(), std::nullopt);
  round.OnPing(0, 1'000);
  EXPECT_EQ(round.OnPong(0, 10, 500, 1'001), std::nullopt);
  EXPECT_FALSE(round.finished());
  EXPECT_EQ(round.estimate(0).samples(), 0);
}

}  // namespace
}  // namespace sysfleet
