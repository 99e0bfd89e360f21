#include "common/random/distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "common/random/scramble.h"

namespace sysfleet {
namespace {

using Order = ZipfianDistribution::Order;
using testing::Each;
using testing::ElementsAre;

constexpr int64_t kMax = INT64_MAX;
constexpr int kDraws = 100'000;

template <typename Distribution>
std::vector<int64_t> First(const Distribution& distribution, size_t count) {
  Random random(1);
  std::vector<int64_t> values(count);
  for (int64_t& value : values) value = distribution.Draw(random);
  return values;
}

/// How often each of 1 to `count` comes up.
template <typename Distribution>
std::vector<double> Observed(const Distribution& distribution, size_t count) {
  Random random(7);
  std::vector<double> observed(count);
  for (int i = 0; i < kDraws; ++i) {
    observed.at(static_cast<size_t>(distribution.Draw(random) - 1)) += 1;
  }
  return observed;
}

/// Chi-square of what was observed against probabilities, per degree of freedom: about 1 where they
/// are right.
double Misfit(const std::vector<double>& observed, const std::vector<double>& probabilities) {
  double sum = 0;
  for (size_t i = 0; i < observed.size(); ++i) {
    const double expected = probabilities[i] * kDraws;
    sum += (observed[i] - expected) * (observed[i] - expected) / expected;
  }
  return sum / static_cast<double>(observed.size() - 1);
}

// Of 39 degrees of freedom, one right distribution in 100,000 is above 2.2.
constexpr double kMisfitMax = 2.2;
constexpr size_t kValues = 40;

std::vector<double> ZipfianProbabilities(double exponent) {
  std::vector<double> weights(kValues);
  for (size_t i = 0; i < kValues; ++i) weights[i] = std::pow(i + 1, -exponent);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

// From the distribution function, cut at the integers.
std::vector<double> Differences(const std::function<double(double)>& below) {
  std::vector<double> probabilities(kValues);
  for (size_t i = 0; i < kValues; ++i) {
    probabilities[i] = below((i + 1.0) / kValues) - below(static_cast<double>(i) / kValues);
  }
  return probabilities;
}

TEST(Zipfian, HasTheRightShapeForAnyExponent) {
  for (const double exponent : {0.0, 0.5, 0.8, 0.99, 1 - 1e-9, 1.0, 1 + 1e-9, 1.0003, 1.2}) {
    SCOPED_TRACE(exponent);
    const ZipfianDistribution zipfian(1, kValues, exponent, Order::kHotFirst);
    EXPECT_LT(Misfit(Observed(zipfian, kValues), ZipfianProbabilities(exponent)), kMisfitMax);
  }
}

TEST(Zipfian, AWrongExponentIsToldApart) {
  const ZipfianDistribution zipfian(1, kValues, 0.8, Order::kHotFirst);
  EXPECT_GT(Misfit(Observed(zipfian, kValues), ZipfianProbabilities(0.85)), kMisfitMax);
}

TEST(Zipfian, OfAGreatExponentIsNearlyAlwaysTheFirst) {
  for (const double exponent : {60.0, 1e3, 1e300}) {
    EXPECT_THAT(First(ZipfianDistribution(5, kMax, exponent, Order::kHotFirst), 1000), Each(5));
  }
}

TEST(Zipfian, ScrambledIsTheSameUnderAPermutation) {
  const ZipfianDistribution plain(1, kValues, 0.8, Order::kHotFirst);
  const ZipfianDistribution scrambled(1, kValues, 0.8, Order::kScrambled);
  std::vector<double> expected = Observed(plain, kValues);
  std::vector<double> observed = Observed(scrambled, kValues);
  EXPECT_NE(observed, expected);
  std::sort(expected.begin(), expected.end());
  std::sort(observed.begin(), observed.end());
  EXPECT_EQ(observed, expected);
}

TEST(Zipfian, ScrambledSpreadsTheHotOnes) {
  constexpr int64_t kRows = 10'000'000;
  constexpr size_t kParts = 20;
  const ZipfianDistribution scrambled(1, kRows, 0.8, Order::kScrambled);
  std::vector<int> parts(kParts);
  for (const int64_t value : First(scrambled, kDraws)) {
    ++parts.at(static_cast<size_t>(value - 1) * kParts / kRows);
  }
  // The hottest row alone has 1 % of all draws, a part 5 %.
  for (const int part : parts) {
    EXPECT_GT(part, kDraws * 3 / 100);
    EXPECT_LT(part, kDraws * 8 / 100);
  }
}

TEST(Gaussian, OfOneIterationIsUniform) {
  const GaussianDistribution gaussian(1, kValues, 1);
  EXPECT_LT(Misfit(Observed(gaussian, kValues), Differences([](double x) { return x; })),
            kMisfitMax);
}

TEST(Gaussian, OfTwoIterationsIsATriangle) {
  const auto below = [](double x) { return x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x); };
  const GaussianDistribution gaussian(1, kValues, 2);
  EXPECT_LT(Misfit(Observed(gaussian, kValues), Differences(below)), kMisfitMax);
}

TEST(Gaussian, HasTheSpreadOfItsIterations) {
  const GaussianDistribution gaussian(1, 1'000'000, 12);
  double sum = 0;
  double squares = 0;
  for (const int64_t value : First(gaussian, kDraws)) {
    const double offset = (static_cast<double>(value) - 500'000.5) / 1'000'000;
    sum += offset;
    squares += offset * offset;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.002);
  // A uniform number from 0 to 1 has a variance of 1/12, the mean of 12 a twelfth of that.
  EXPECT_NEAR(std::sqrt(squares / kDraws), 1.0 / 12, 0.001);
}

TEST(Pareto, HasTheRightShape) {
  for (const double h : {0.2, 0.5, 0.7}) {
    SCOPED_TRACE(h);
    const auto below = [h](double x) { return std::pow(x, std::log(1 - h) / std::log(h)); };
    const ParetoDistribution pareto(1, kValues, h);
    EXPECT_LT(Misfit(Observed(pareto, kValues), Differences(below)), kMisfitMax);
  }
}

TEST(Pareto, AFifthOfTheIntegersGetsFourFifths) {
  int64_t low = 0;
  for (const int64_t value : First(ParetoDistribution(1, 1'000'000, 0.2), kDraws)) {
    low += value <= 200'000;
  }
  EXPECT_NEAR(static_cast<double>(low) / kDraws, 0.8, 0.005);
}

TEST(Special, ReachesAllHotIntegersEquallyOften) {
  // The middle 1 % of 1000, 75 % of the draws; of the gaussian others nearly all are elsewhere.
  const std::vector<double> observed = Observed(SpecialDistribution(1, 1000, 12, 1, 75), 1000);
  for (int64_t value = 496; value <= 505; ++value) {
    const double share = observed[static_cast<size_t>(value - 1)] / kDraws;
    EXPECT_NEAR(share, 0.075 + 0.25 * 0.0048, 0.003) << value;
  }
  EXPECT_LT(observed[494] / kDraws, 0.002);
  EXPECT_LT(observed[505] / kDraws, 0.002);
}

TEST(Special, OfNoHotDrawsIsGaussian) {
  const auto below = [](double x) { return x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x); };
  const SpecialDistribution special(1, kValues, 2, 10, 0);
  EXPECT_LT(Misfit(Observed(special, kValues), Differences(below)), kMisfitMax);
}

TEST(Special, OfOnlyHotDrawsStaysInTheMiddle) {
  const std::vector<int64_t> values = First(SpecialDistribution(1, 100, 12, 3, 100), 1000);
  EXPECT_EQ(std::set<int64_t>(values.begin(), values.end()), (std::set<int64_t>{49, 50, 51}));
}

TEST(Distributions, FirstValuesAreTheSameEverywhere) {
  constexpr int64_t kRows = 10'000'000;
  EXPECT_THAT(First(GaussianDistribution(1, kRows, 12), 3), ElementsAre(5154426, 4144292, 5830039));
  EXPECT_THAT(First(SpecialDistribution(1, kRows, 12, 1, 75), 3),
              ElementsAre(4538442, 4958950, 5005714));
  EXPECT_THAT(First(ParetoDistribution(1, kRows, 0.2), 3), ElementsAre(2219067, 1221112, 1));
  EXPECT_THAT(First(ZipfianDistribution(1, kRows, 0.8, Order::kHotFirst), 3),
              ElementsAre(4808, 16966, 6016469));
  EXPECT_THAT(First(ZipfianDistribution(1, kRows, 1, Order::kScrambled), 3),
              ElementsAre(2412544, 3639773, 9155864));
}

TEST(Distributions, OfOneIntegerGiveIt) {
  for (const int64_t only : {INT64_MIN, int64_t{-1}, int64_t{1}, kMax}) {
    EXPECT_THAT(First(GaussianDistribution(only, only, 12), 100), Each(only));
    EXPECT_THAT(First(SpecialDistribution(only, only, 12, 1, 75), 100), Each(only));
    EXPECT_THAT(First(ParetoDistribution(only, only, 0.2), 100), Each(only));
    EXPECT_THAT(First(ZipfianDistribution(only, only, 1, Order::kHotFirst), 100), Each(only));
    EXPECT_THAT(First(ZipfianDistribution(only, only, 0, Order::kScrambled), 100), Each(only));
  }
}

TEST(Distributions, StayWithinHugeRanges) {
  const std::pair<int64_t, int64_t> ranges[] = {
      {0, kMax}, {INT64_MIN, -1}, {-kMax / 2, kMax / 2}, {kMax - 1, kMax}};
  for (const auto& [min, max] : ranges) {
    const auto within = Each(testing::AllOf(testing::Ge(min), testing::Le(max)));
    EXPECT_THAT(First(GaussianDistribution(min, max, 1), 1000), within);
    EXPECT_THAT(First(SpecialDistribution(min, max, 3, 50, 50), 1000), within);
    EXPECT_THAT(First(ParetoDistribution(min, max, 0.2), 1000), within);
    for (const double exponent : {0.0, 0.99, 1.0, 3.0}) {
      EXPECT_THAT(First(ZipfianDistribution(min, max, exponent, Order::kHotFirst), 1000), within);
      EXPECT_THAT(First(ZipfianDistribution(min, max, exponent, Order::kScrambled), 1000), within);
    }
  }
}

TEST(Zipfian, OverAHugeRangeHasTheHalfThatTheIntegralSays) {
  // With an exponent of 0.5 a quarter of the integers has half of the weight.
  int64_t low = 0;
  for (const int64_t value : First(ZipfianDistribution(1, kMax, 0.5, Order::kHotFirst), kDraws)) {
    low += value <= kMax / 4;
  }
  EXPECT_NEAR(static_cast<double>(low) / kDraws, 0.5, 0.006);
}

TEST(ScrambleWide, IsABijectionOfEverySize) {
  for (uint32_t bits = 1; bits <= 12; ++bits) {
    std::set<uint64_t> seen;
    const uint64_t count = uint64_t{1} << bits;
    for (uint64_t x = 0; x < count; ++x) seen.insert(ScrambleWide(x, bits));
    EXPECT_EQ(seen.size(), count) << bits;
    EXPECT_LT(*seen.rbegin(), count) << bits;
  }
}

}  // namespace
}  // namespace sysfleet
