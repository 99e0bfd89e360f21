#include "coordinator/run/steady.h"

#include <cmath>
#include <numeric>

namespace sysfleet {
namespace {

constexpr double kTrendMax = 0.02;
constexpr double kDeviationMax = 0.10;

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

bool IsSteady(std::span<const double> transactions) {
  if (transactions.size() < kSteadySpan) return false;
  const std::span<const double> last = transactions.last(kSteadySpan);
  const double mean = Mean(last);
  if (mean <= 0) return false;
  const double trend = Mean(last.last(kSteadySpan / 2)) - Mean(last.first(kSteadySpan / 2));
  double squares = 0;
  for (const double value : last) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(kSteadySpan));
  return std::abs(trend) <= kTrendMax * mean && deviation <= kDeviationMax * mean;
}

}  // namespace sysfleet
