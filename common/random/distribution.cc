#include "common/random/distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/random/scramble.h"

namespace sysfleet {
namespace {

constexpr uint64_t kPercent = 100;

uint64_t CountOf(int64_t min, int64_t max) {
  return static_cast<uint64_t>(max) - static_cast<uint64_t>(min) + 1;
}

int64_t Plus(int64_t min, uint64_t offset) {
  return static_cast<int64_t>(static_cast<uint64_t>(min) + offset);
}

/// The integer that lies at a fraction from 0 to 1 of the range.
int64_t At(int64_t min, uint64_t count, double fraction) {
  const double offset = fraction * static_cast<double>(count);
  // Rounding can reach the count itself.
  if (offset >= static_cast<double>(count)) return Plus(min, count - 1);
  return Plus(min, std::min(static_cast<uint64_t>(offset), count - 1));
}

uint64_t HotCount(uint64_t count, uint32_t percent) {
  const uint64_t hot = count / kPercent * percent + count % kPercent * percent / kPercent;
  return std::max<uint64_t>(hot, 1);
}

// Near 0 the differences below would lose most of their digits. The first term left out is smaller
// than what a double can tell from 1.
constexpr double kSeriesBelow = 0.01;

/// (exp(t) - 1) / t, continued to 1 at 0.
double ExpRatio(double t) {
  if (std::abs(t) >= kSeriesBelow) return (std::exp(t) - 1) / t;
  return 1 + t / 2 * (1 + t / 3 * (1 + t / 4 * (1 + t / 5 * (1 + t / 6 * (1 + t / 7)))));
}

/// log(1 + t) / t, continued to 1 at 0.
double LogRatio(double t) {
  if (std::abs(t) >= kSeriesBelow) return std::log(1 + t) / t;
  return 1 + t * (-1.0 / 2 +
                  t * (1.0 / 3 +
                       t * (-1.0 / 4 +
                            t * (1.0 / 5 + t * (-1.0 / 6 + t * (1.0 / 7 + t * (-1.0 / 8)))))));
}

}  // namespace

GaussianDistribution::GaussianDistribution(int64_t min, int64_t max, uint32_t iterations)
    : min_(min), max_(max), count_(CountOf(min, max)), iterations_(iterations) {}

int64_t GaussianDistribution::Draw(Random& random) const {
  double sum = 0;
  for (uint32_t i = 0; i < iterations_; ++i) sum += random.Double();
  return At(min_, count_, sum / iterations_);
}

SpecialDistribution::SpecialDistribution(int64_t min, int64_t max, uint32_t iterations,
                                         uint32_t hot_width_percent, uint32_t hot_percent)
    : others_(min, max, iterations), hot_percent_(hot_percent) {
  const uint64_t count = CountOf(min, max);
  const uint64_t hot = HotCount(count, hot_width_percent);
  hot_min_ = Plus(min, (count - hot) / 2);
  hot_max_ = Plus(hot_min_, hot - 1);
}

int64_t SpecialDistribution::Draw(Random& random) const {
  const bool hot = random.Uniform(1, kPercent) <= hot_percent_;
  return hot ? random.Uniform(hot_min_, hot_max_) : others_.Draw(random);
}

ParetoDistribution::ParetoDistribution(int64_t min, int64_t max, double h)
    : min_(min), max_(max), count_(CountOf(min, max)), power_(std::log(h) / std::log(1 - h)) {}

int64_t ParetoDistribution::Draw(Random& random) const {
  return At(min_, count_, std::pow(random.Double(), power_));
}

ZipfianDistribution::ZipfianDistribution(int64_t min, int64_t max, double exponent, Order order)
    : min_(min),
      max_(max),
      count_(CountOf(min, max)),
      exponent_(exponent),
      order_(order),
      bits_(static_cast<uint32_t>(std::bit_width(count_ - 1))),
      low_(Integral(1.5) - 1),
      high_(Integral(static_cast<double>(count_) + 0.5)),
      squeeze_(2 - InverseIntegral(Integral(2.5) - Weight(2))) {}

int64_t ZipfianDistribution::Draw(Random& random) const {
  const uint64_t rank = Rank(random);
  return Plus(min_, order_ == Order::kHotFirst ? rank : Place(rank));
}

/// Of x^-exponent from 1 to x; as ratios, so that exponents at and near 1 are like any other.
double ZipfianDistribution::Integral(double x) const {
  const double log_x = std::log(x);
  return log_x * ExpRatio((1 - exponent_) * log_x);
}

double ZipfianDistribution::InverseIntegral(double y) const {
  // Below -1 by rounding only.
  return std::exp(y * LogRatio(std::max((1 - exponent_) * y, -1.0)));
}

double ZipfianDistribution::Weight(double x) const {
  return std::exp(-exponent_ * std::log(x));
}

// The bar of width 1 around k under the curve is larger than k's weight. A point of the bar is
// accepted where it lies in the part at its right end whose area is the weight: surely where x is
// not more than squeeze_ below k, which spares most draws the exact comparison.
uint64_t ZipfianDistribution::Rank(Random& random) const {
  const auto count = static_cast<double>(count_);
  for (;;) {
    const double y = high_ + random.Double() * (low_ - high_);
    const double x = InverseIntegral(y);
    const double nearest = std::clamp(std::floor(x + 0.5), 1.0, count);
    if (nearest - x <= squeeze_ || y >= Integral(nearest + 0.5) - Weight(nearest)) {
      return std::min(static_cast<uint64_t>(nearest), count_) - 1;
    }
  }
}

// Permutes all numbers of so many bits, again and again until one within the range comes out, which
// is less than two times on average: a permutation of the range (cycle walking).
uint64_t ZipfianDistribution::Place(uint64_t rank) const {
  if (bits_ == 0) return 0;
  uint64_t place = rank;
  do {
    place = ScrambleWide(place, bits_);
  } while (place >= count_);
  return place;
}

}  // namespace sysfleet
