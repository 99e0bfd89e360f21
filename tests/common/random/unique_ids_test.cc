#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/random/random.h"
#include "common/random/scramble.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;

template <uint32_t kBits>
bool IsBijection() {
  std::vector<bool> seen(size_t{1} << kBits);
  for (uint32_t x = 0; x < seen.size(); ++x) {
    const uint32_t y = Scramble<kBits>(x);
    if (y >= seen.size() || seen[y]) return false;
    seen[y] = true;
  }
  return true;
}

TEST(Scramble, IsABijectionForEveryWidthThatCanBeTriedOut) {
  EXPECT_TRUE(IsBijection<1>());
  EXPECT_TRUE(IsBijection<2>());
  EXPECT_TRUE(IsBijection<3>());
  EXPECT_TRUE(IsBijection<8>());
  EXPECT_TRUE(IsBijection<15>());
  EXPECT_TRUE(IsBijection<16>());
  EXPECT_TRUE(IsBijection<21>());
}

/// The odd number that undoes a multiplication by `odd` modulo 2^32: each step of Newton's method
/// doubles the number of right bits.
uint32_t InverseOf(uint32_t odd) {
  uint32_t inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

uint32_t Unscramble31(uint32_t y) {
  constexpr uint32_t kMask = 0x7fffffff;
  // A shift by more than half of the width is its own inverse.
  y ^= y >> 16;
  y = (y * InverseOf(0x3504f333)) & kMask;
  y ^= y >> 16;
  y = (y * InverseOf(0x4f1bbcdd)) & kMask;
  return y ^ y >> 16;
}

TEST(Scramble, Of31BitsCanBeUndone) {
  for (uint64_t x = 0; x < uint64_t{1} << 31; x += 1009) {
    ASSERT_EQ(Unscramble31(Scramble<31>(static_cast<uint32_t>(x))), x);
  }
  EXPECT_EQ(Unscramble31(Scramble<31>(0x7fffffff)), 0x7fffffff);
}

std::vector<int64_t> Take(UniqueIds ids, size_t draws) {
  std::vector<int64_t> taken(draws);
  for (int64_t& id : taken) id = ids.Next();
  return taken;
}

TEST(UniqueIds, AreTheSameInEveryVersion) {
  EXPECT_THAT(Take(UniqueIds(0, 0, 1), 4),
              ElementsAre(-2147483648, -1743873412, -343403617, -356106550));
  // Place 1, 6, 11: the base may wrap around.
  EXPECT_THAT(Take(UniqueIds(UINT64_MAX - 1, 3, 5), 3),
              ElementsAre(-1743873412, -604802069, -417399404));
}

TEST(UniqueIds, OfAllStreamsAreDistinctAndNegative) {
  constexpr uint64_t kStreams = 7;
  constexpr size_t kDraws = size_t{1} << 20;
  for (const uint64_t base : {uint64_t{0}, uint64_t{1} << 31, UINT64_MAX - 1000}) {
    std::vector<int64_t> all;
    all.reserve(kDraws + kStreams);
    for (uint64_t stream = 0; stream < kStreams; ++stream) {
      const std::vector<int64_t> ids =
          Take(UniqueIds(base, stream, kStreams), kDraws / kStreams + 1);
      all.insert(all.end(), ids.begin(), ids.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << base;
    EXPECT_GE(all.front(), INT32_MIN) << base;
    EXPECT_LE(all.back(), -1) << base;
  }
}

TEST(UniqueIds, WideOnesAreDistinctNegativeAndSpread) {
  constexpr uint64_t kStreams = 7;
  std::vector<int64_t> all;
  for (uint64_t stream = 0; stream < kStreams; ++stream) {
    UniqueIds ids(UINT64_MAX - 1000, stream, kStreams);
    for (int i = 0; i < 10'000; ++i) all.push_back(ids.NextWide());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_LT(all.back(), 0);
  EXPECT_LT(all.front(), INT64_MIN / 100 * 99);
  EXPECT_GT(all.back(), INT64_MIN / 100);
}

TEST(UniqueIds, AreSpreadOverTheWholeRange) {
  // Each sixteenth of the range gets a sixteenth of the ids, as a random order would give it.
  std::vector<int> counts(16);
  for (const int64_t id : Take(UniqueIds(123, 0, 1), 16'000)) {
    ++counts[static_cast<size_t>((id - INT32_MIN) >> 27)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(UniqueIds, DoNotLookSorted) {
  const std::vector<int64_t> ids = Take(UniqueIds(0, 0, 1), 10'000);
  int rises = 0;
  for (size_t i = 1; i < ids.size(); ++i) rises += ids[i] > ids[i - 1] ? 1 : 0;
  EXPECT_NEAR(rises, 5000, 500);
}

}  // namespace
}  // namespace sysfleet
