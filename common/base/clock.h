// Time. Measurements use the steady clock only; the wall clock is a label. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace sysfleet {

/// Nanoseconds of this machine's steady clock.
inline int64_t SteadyNanos() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

inline constexpr int64_t kNanosPerSecond = 1'000'000'000;

/// "20261130T190214Z", for names of folders.
std::string CompactUtc(std::chrono::system_clock::time_point time);

/// "2026-11-30T19:02:14Z".
std::string IsoUtc(std::chrono::system_clock::time_point time);

}  // namespace sysfleet
