// Distributions of integers from min to max, both included. Each draw costs the same however large
// the range is, and allocates nothing. Preconditions: min <= max, and max - min < 2^63.
//
// The same for a seed everywhere: of the C library only exp, log and pow are used, whose last bit
// could differ between libraries, and so a value in some 10^9 draws. Where a range holds more than
// 2^53 integers, not every one of them comes up. Immutable; pure but for the random numbers taken.
#pragma once

#include <cstdint>

#include "common/random/random.h"

namespace sysfleet {

/// The mean of `iterations` (at least 1) uniform numbers.
class GaussianDistribution {
 public:
  GaussianDistribution(int64_t min, int64_t max, uint32_t iterations);

  int64_t min() const { return min_; }
  int64_t max() const { return max_; }
  int64_t Draw(Random& random) const;

 private:
  int64_t min_;
  int64_t max_;
  uint64_t count_;  // of the integers
  uint32_t iterations_;
};

/// sysbench 1.0's "special": `hot_percent` of the draws are uniform over the `hot_width_percent` of
/// the integers in the middle (one at least), the others gaussian. sysbench itself decides with the
/// number that it then scales, and so reaches only the upper part of the hot integers; here a fresh
/// one is drawn. Percentages from 0 to 100.
class SpecialDistribution {
 public:
  SpecialDistribution(int64_t min, int64_t max, uint32_t iterations, uint32_t hot_width_percent,
                      uint32_t hot_percent);

  int64_t min() const { return others_.min(); }
  int64_t max() const { return others_.max(); }
  int64_t Draw(Random& random) const;

 private:
  GaussianDistribution others_;
  int64_t hot_min_;
  int64_t hot_max_;
  uint32_t hot_percent_;
};

/// Self-similar with 0 < h < 1: the lowest part h of the integers gets the part 1 - h of the draws,
/// and so on within it (Gray et al., "Quickly Generating Billion-Record Synthetic Databases",
/// 1994).
class ParetoDistribution {
 public:
  ParetoDistribution(int64_t min, int64_t max, double h);

  int64_t min() const { return min_; }
  int64_t max() const { return max_; }
  int64_t Draw(Random& random) const;

 private:
  int64_t min_;
  int64_t max_;
  uint64_t count_;
  double power_;
};

/// The n-th integer with a probability proportional to 1 / n^exponent, exponent >= 0 and finite, by
/// rejection-inversion: no table, fewer than 1.2 tries a draw (Hörmann and Derflinger,
/// "Rejection-inversion to generate variates from monotone discrete distributions", 1996).
class ZipfianDistribution {
 public:
  enum class Order : uint8_t {
    kHotFirst,  // the lowest is the hottest
    kScrambled  // a fixed permutation spreads the hot ones over the range
  };

  ZipfianDistribution(int64_t min, int64_t max, double exponent, Order order);

  int64_t min() const { return min_; }
  int64_t max() const { return max_; }
  int64_t Draw(Random& random) const;

 private:
  double Integral(double x) const;
  double InverseIntegral(double y) const;
  double Weight(double x) const;
  uint64_t Rank(Random& random) const;
  uint64_t Place(uint64_t rank) const;

  int64_t min_;
  int64_t max_;
  uint64_t count_;
  double exponent_;
  Order order_;
  uint32_t bits_;  // that hold every rank
  // What is inverted goes from low_ to high_; see Rank.
  double low_;
  double high_;
  double squeeze_;
};

}  // namespace sysfleet
