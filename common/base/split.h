// Splitting a total into parts that differ by one at most. Pure functions.
#pragma once

#include <cstdint>

namespace sysfleet {

/// The share of part `index` of `parts`: the first `total % parts` parts get one more. The shares
/// of all parts add up to `total`.
constexpr int64_t ShareOf(int64_t total, int64_t parts, int64_t index) {
  return total / parts + (index < total % parts ? 1 : 0);
}

/// What all parts before `index` get together.
constexpr int64_t ShareBefore(int64_t total, int64_t parts, int64_t index) {
  const int64_t larger = total % parts;
  return total / parts * index + (index < larger ? index : larger);
}

}  // namespace sysfleet
