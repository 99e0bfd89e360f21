// Numbers, times and lists as people read them, the same everywhere. Pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sysfleet {

/// "1,234,567".
std::string Grouped(int64_t number);

/// "1,234.5": thousands separated, `decimals` behind the point.
std::string WithThousands(double value, int decimals);

/// "1 row", "2,000 rows".
std::string Counted(int64_t number, std::string_view noun);

/// "a, b, c, d and 996 more": at most four names.
std::string Joined(const std::vector<std::string>& names);

/// "6 h 18 min", "1 min 20 s", "12 s", "9 s", "0.4 s": as exact as a person wants it. Not negative.
std::string ForPeople(std::chrono::nanoseconds duration);

}  // namespace sysfleet
