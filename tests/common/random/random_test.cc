#include "common/random/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sysfleet {
namespace {

using ::testing::ElementsAre;

std::vector<uint64_t> Take(uint64_t seed, int draws) {
  Random random(seed);
  std::vector<uint64_t> values;
  for (int i = 0; i < draws; ++i) values.push_back(random.Next());
  return values;
}

/// How far counts that should be equal are from it; for n counts about n - 1.
double ChiSquare(const std::vector<int64_t>& counts) {
  double total = 0;
  for (const int64_t count : counts) total += static_cast<double>(count);
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const int64_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

// Computed from the published algorithms of xoshiro256++ 1.0 and SplitMix64 in another language.
TEST(Random, FollowsTheReference) {
  EXPECT_THAT(Take(0, 5), ElementsAre(0x53175d61490b23df, 0x61da6f3dc380d507, 0x5c0fdf91ec9a7bfc,
                                      0x02eebf8c3bbe5e1a, 0x7eca04ebaf4a5eea));
  EXPECT_THAT(Take(42, 5), ElementsAre(0xd0764d4f4476689f, 0x519e4174576f3791, 0xfbe07cfb0c24ed8c,
                                       0xb37d9f600cd835b8, 0xcb231c3874846a73));
  EXPECT_THAT(Take(UINT64_MAX, 5),
              ElementsAre(0x56ccf8ce948e27b2, 0xe68588432e5a5b90, 0xe3e9b5a48119ca8b,
                          0x460f19495532ae73, 0xa7d62040ea9263e1));
}

TEST(Random, MixesSeedsAsInEveryVersion) {
  EXPECT_EQ(MixSeed(0, 0), 0xa706dd2f4d197e6f);
  EXPECT_EQ(MixSeed(0, 1), 0xb382a305f4414f5e);
  EXPECT_EQ(MixSeed(1, 0), 0x5e41ab087439611e);
  EXPECT_EQ(MixSeed(42, 7), 0xbc16a3d4cc48678e);
}

TEST(Random, StreamsDiffer) {
  std::set<uint64_t> seen;
  size_t draws = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (uint64_t stream = 0; stream < 100; ++stream) {
      for (const uint64_t value : Take(MixSeed(seed, stream), 10)) {
        seen.insert(value);
        ++draws;
      }
    }
  }
  EXPECT_EQ(seen.size(), draws);
}

TEST(Random, NeighbouringStreamsAreNotCorrelated) {
  // Bits that two streams have in common: half of 64 000, with a standard deviation of 126.
  const std::vector<uint64_t> a = Take(MixSeed(1, 1), 1000);
  const std::vector<uint64_t> b = Take(MixSeed(1, 2), 1000);
  int common = 0;
  for (size_t i = 0; i < a.size(); ++i) common += std::popcount(~(a[i] ^ b[i]));
  EXPECT_NEAR(common, 32'000, 4 * 126);
}

TEST(RandomUniform, FollowsTheReference) {
  Random random(42);
  std::vector<int64_t> values;
  for (int i = 0; i < 8; ++i) values.push_back(random.Uniform(1, 10'000'000));
  EXPECT_THAT(values,
              ElementsAre(8143052, 3188211, 9838942, 7011356, 7935045, 5880985, 1253525, 6051225));
}

TEST(RandomUniform, DrawsAgainWhatWouldBiasTheResult) {
  // Of 2^63 + 1 choices nearly half of all draws must be refused.
  Random random(42);
  std::vector<int64_t> values;
  for (int i = 0; i < 4; ++i) values.push_back(random.Uniform(INT64_MIN, 0));
  EXPECT_THAT(values, ElementsAre(-6282766971189093432, -148550078862035258, -2756537566975223076,
                                  -3642102565037120093));
}

TEST(RandomUniform, StaysWithinItsBounds) {
  struct Case {
    int64_t min;
    int64_t max;
  };
  const Case cases[] = {
      {0, 0},
      {-1, -1},
      {INT64_MAX, INT64_MAX},
      {INT64_MIN, INT64_MIN},
      {-3, 3},
      {1, 10'000'000},
      {INT64_MAX - 1, INT64_MAX},
      {INT64_MIN, INT64_MIN + 1},
      {INT64_MIN, INT64_MAX - 1},
      {INT64_MIN + 1, INT64_MAX},
      {INT64_MIN, INT64_MAX},
  };
  for (const Case& c : cases) {
    Random random(9);
    for (int i = 0; i < 1000; ++i) {
      const int64_t value = random.Uniform(c.min, c.max);
      ASSERT_GE(value, c.min);
      ASSERT_LE(value, c.max);
    }
  }
}

TEST(RandomUniform, TheFullRangeIsTheGeneratorItself) {
  Random random(42);
  EXPECT_EQ(static_cast<uint64_t>(random.Uniform(INT64_MIN, INT64_MAX)), 0xd0764d4f4476689f);
}

TEST(RandomUniform, ReachesEveryValueEquallyOften) {
  Random random(5);
  std::vector<int64_t> counts(100);
  for (int i = 0; i < 100'000; ++i) ++counts[static_cast<size_t>(random.Uniform(-50, 49) + 50)];
  // 99 degrees of freedom: 0.1 % of all seeds are below 60 or above 149.
  EXPECT_GT(ChiSquare(counts), 60);
  EXPECT_LT(ChiSquare(counts), 149);
}

TEST(RandomDouble, IsFromZeroToBelowOneWithTheRightMean) {
  Random random(6);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double value = random.Double();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
  }
  // The mean of 100 000 draws has a standard deviation of 0.0009.
  EXPECT_NEAR(sum / 100'000, 0.5, 0.0036);
}

TEST(TextPattern, FollowsTheReference) {
  const TextPattern digits(
      "###########-###########-###########-###########-###########-"
      "###########-###########-###########-###########-###########");
  Random random(42);
  std::string text(digits.size(), '\0');
  digits.Fill(random, text.data());
  EXPECT_EQ(text,
            "81430514512-29098318821-04006166129-83894168177-48887011355-"
            "98134755679-35044896917-29058809846-64675596125-35244206274");

  const TextPattern mixed("id-###/@@@@@@@@@@");
  text.resize(mixed.size());
  mixed.Fill(random, text.data());
  EXPECT_EQ(text, "id-605/fkkvtvguyg");
}

bool Fits(char character, char pattern) {
  if (pattern == '#') return character >= '0' && character <= '9';
  if (pattern == '@') return character >= 'a' && character <= 'z';
  return character == pattern;
}

TEST(TextPattern, ReplacesOnlyPlaceholders) {
  std::vector<std::string> patterns = {"", "#", "@", "none at all", "#@", "@#-#@ #@", "ä#€@"};
  for (size_t length = 2; length <= 40; ++length) {
    patterns.emplace_back(length, '#');
    patterns.emplace_back(length, '@');
  }
  Random random(7);
  for (const std::string& pattern : patterns) {
    const TextPattern text_pattern(pattern);
    ASSERT_EQ(text_pattern.size(), pattern.size());
    std::string text(pattern.size() + 1, '!');
    text_pattern.Fill(random, text.data());
    for (size_t i = 0; i < pattern.size(); ++i) {
      ASSERT_TRUE(Fits(text[i], pattern[i])) << pattern << " gave " << text;
    }
    EXPECT_EQ(text.back(), '!') << "written past the end of " << pattern;
  }
}

TEST(TextPattern, UsesEveryCharacterEquallyOftenAtEveryPlace) {
  const TextPattern pattern("#################@@@@@@@@@");
  constexpr size_t kDigits = 17;
  std::vector<std::vector<int64_t>> counts(pattern.size());
  for (size_t i = 0; i < counts.size(); ++i) counts[i].resize(i < kDigits ? 10 : 26);
  Random random(8);
  std::string text(pattern.size(), '\0');
  for (int i = 0; i < 20'000; ++i) {
    pattern.Fill(random, text.data());
    for (size_t place = 0; place < text.size(); ++place) {
      const char first = place < kDigits ? '0' : 'a';
      ++counts[place][static_cast<size_t>(text[place] - first)];
    }
  }
  // 9 and 25 degrees of freedom: one in 100 000 is above 38 and 66.
  for (size_t place = 0; place < counts.size(); ++place) {
    EXPECT_LT(ChiSquare(counts[place]), place < kDigits ? 38 : 66) << place;
  }
}

TEST(AlphabetText, DrawsEveryLengthAndEveryCharacterEquallyOften) {
  const AlphabetText text(0, 9, "abc");
  Random random(3);
  std::map<size_t, int> lengths;
  std::map<char, int> characters;
  for (int i = 0; i < 10'000; ++i) {
    std::array<char, 9> drawn{};
    const size_t length = text.Fill(random, drawn.data());
    ++lengths[length];
    for (size_t at = 0; at < length; ++at) ++characters[drawn[at]];
  }
  EXPECT_EQ(lengths.size(), 10U);
  for (const auto& [length, count] : lengths) EXPECT_NEAR(count, 1000, 150) << length;
  EXPECT_EQ(characters.size(), 3U);
  for (const auto& [character, count] : characters) EXPECT_NEAR(count, 15'000, 700) << character;
}

}  // namespace
}  // namespace sysfleet
