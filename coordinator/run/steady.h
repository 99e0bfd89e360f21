// Whether throughput has come to rest, so that a warm-up may end. A pure function.
#pragma once

#include <cstddef>
#include <span>

namespace sysfleet {

/// So many seconds are looked at.
inline constexpr size_t kSteadySpan = 10;

/// Of the last kSteadySpan seconds' transactions, the means of both halves differ by 2 % at most,
/// and the standard deviation is 10 % of the mean at most: neither a trend nor a database that is
/// busy with something else every few seconds. False where there are fewer, or nothing was done.
bool IsSteady(std::span<const double> transactions);

}  // namespace sysfleet
