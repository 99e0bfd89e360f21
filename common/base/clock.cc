#include "common/base/clock.h"

#include <ctime>

namespace sysfleet {
namespace {

std::string FormatUtc(std::chrono::system_clock::time_point time, const char* format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  const size_t length = std::strftime(text, sizeof(text), format, &utc);
  return {text, length};
}

}  // namespace

std::string CompactUtc(std::chrono::system_clock::time_point time) {
  return FormatUtc(time, "%Y%m%dT%H%M%SZ");
}

std::string IsoUtc(std::chrono::system_clock::time_point time) {
  return FormatUtc(time, "%Y-%m-%dT%H:%M:%SZ");
}

}  // namespace sysfleet
