// What a cell must keep to be within the limit of a search: "p99 < 20ms and errors < 0.1%". Pure
// functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace sysfleet {

enum class Metric : uint8_t {
  kPercentile,  // of response times, milliseconds
  kMean,        // likewise
  kMax,         // likewise
  kErrors,      // failed statements, in percent of transactions and failed statements
  kTps,
  kQps,
};

enum class Comparison : uint8_t { kBelow, kAtMost, kAbove, kAtLeast };

struct LimitCondition {
  Metric metric = Metric::kPercentile;
  double percent = 0;  // of kPercentile
  Comparison comparison = Comparison::kBelow;
  double value = 0;  // milliseconds, percent, or a second
  /// "p99 < 20ms"
  std::string text;
};

/// All of them must hold.
using Limit = std::vector<LimitCondition>;

/// INVALID_ARGUMENT with what was expected, and where.
absl::StatusOr<Limit> ParseLimit(std::string_view text);

/// As ParseLimit reads it.
std::string ToString(const Limit& limit);

}  // namespace sysfleet
