// A plan's numbers, durations and switches as text, and back. Each parser takes the whole text or
// nothing. Pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sysfleet {

/// "600", "10_000_000", "10M": a suffix k, M, G or T (of either case) is a power of 1000. No
/// leading zeros, fractions or exponents; nothing that does not fit 64 bits.
std::optional<int64_t> ParseInteger(std::string_view text);

/// "99.9"; digits and at most one point.
std::optional<double> ParseDecimal(std::string_view text);

/// "600s", "10m", "1h30m", "600" (seconds); units in falling order, each once.
std::optional<std::chrono::seconds> ParseDuration(std::string_view text);

/// on, true, yes, 1 and off, false, no, 0, of either case.
std::optional<bool> ParseSwitch(std::string_view text);

/// Letters, digits, '.', '_' and '-', 1 to 100 of them, but neither "." nor "..": it can name a
/// folder and stand in a table.
bool IsPlainName(std::string_view name);

}  // namespace sysfleet
