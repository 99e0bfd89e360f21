#include "common/base/text.h"

#include <fmt/format.h>

namespace sysfleet {
namespace {

std::string TwoUnits(int64_t large, std::string_view large_unit, int64_t small,
                     std::string_view small_unit) {
  if (small == 0) return fmt::format("{} {}", large, large_unit);
  return fmt::format("{} {} {} {}", large, large_unit, small, small_unit);
}

}  // namespace

std::string Grouped(int64_t number) {
  std::string text = std::to_string(number);
  const size_t digits_begin = number < 0 ? 1 : 0;
  for (size_t place = text.size(); place > digits_begin + 3;) {
    place -= 3;
    text.insert(place, 1, ',');
  }
  return text;
}

std::string Counted(int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", Grouped(number), noun, number == 1 ? "" : "s");
}

std::string ForPeople(std::chrono::nanoseconds duration) {
  // Below this, 9.95 s would be rounded to "10.0 s".
  if (duration < std::chrono::milliseconds(9'950)) {
    return fmt::format("{:.1f} s", std::chrono::duration<double>(duration).count());
  }
  const int64_t seconds = std::chrono::round<std::chrono::seconds>(duration).count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return TwoUnits(seconds / 60, "min", seconds % 60, "s");
  return TwoUnits(seconds / 3600, "h", seconds % 3600 / 60, "min");
}

}  // namespace sysfleet
