#include "agent/engine/arrivals.h"

#include <algorithm>
#include <cmath>

#include "common/base/clock.h"

namespace sysfleet {
namespace {

// Far beyond any cell, and within what a double holds exactly enough.
constexpr double kFarAwayNs = 1e18;

int64_t ToNanos(double exact_ns) {
  return static_cast<int64_t>(std::min(exact_ns, kFarAwayNs));
}

}  // namespace

Arrivals::Arrivals(const OpenLoop& loop, int64_t connection, int64_t connections, uint64_t seed)
    : mean_distance_ns_(static_cast<double>(kNanosPerSecond) * static_cast<double>(connections) /
                        loop.rate_per_s),
      even_(loop.even),
      exact_ns_(0),
      first_ns_(static_cast<double>(kNanosPerSecond) * static_cast<double>(connection) /
                loop.rate_per_s),
      random_(seed) {
  if (even_) {
    next_ns_ = ToNanos(first_ns_);
  } else {
    Advance();
  }
}

void Arrivals::Advance() {
  ++number_;
  if (even_) {
    // From the number, for small errors must not add up.
    exact_ns_ = first_ns_ + static_cast<double>(number_) * mean_distance_ns_;
  } else {
    exact_ns_ -= std::log1p(-random_.Double()) * mean_distance_ns_;
  }
  next_ns_ = ToNanos(exact_ns_);
}

int64_t Arrivals::SkipTo(int64_t since_ns) {
  const int64_t before = number_;
  while (next_ns_ < since_ns) Advance();
  return number_ - before;
}

}  // namespace sysfleet
