#include "common/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace sysfleet {
namespace {

// More are counted, not named.
constexpr size_t kNamesMax = 4;

// Into the digits before `end`.
void InsertSeparators(std::string& text, size_t end) {
  const size_t digits_begin = text.starts_with('-') ? 1 : 0;
  for (size_t place = end; place > digits_begin + 3;) {
    place -= 3;
    text.insert(place, 1, ',');
  }
}

std::string TwoUnits(int64_t large, std::string_view large_unit, int64_t small,
                     std::string_view small_unit) {
  if (small == 0) return fmt::format("{} {}", large, large_unit);
  return fmt::format("{} {} {} {}", large, large_unit, small, small_unit);
}

}  // namespace

std::string Grouped(int64_t number) {
  std::string text = std::to_string(number);
  InsertSeparators(text, text.size());
  return text;
}

std::string WithThousands(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  InsertSeparators(text, std::min(text.find('.'), text.size()));
  return text;
}

std::string Counted(int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", Grouped(number), noun, number == 1 ? "" : "s");
}

std::string Joined(const std::vector<std::string>& names) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), kNamesMax));
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > kNamesMax) text += fmt::format(" and {} more", names.size() - kNamesMax);
  return text;
}

std::string ForPeople(std::chrono::nanoseconds duration) {
  const bool is_whole = duration % std::chrono::seconds(1) == std::chrono::nanoseconds(0);
  // Below this, 9.95 s would be rounded to "10.0 s".
  if (!is_whole && duration < std::chrono::milliseconds(9'950)) {
    return fmt::format("{:.1f} s", std::chrono::duration<double>(duration).count());
  }
  const int64_t seconds = std::chrono::round<std::chrono::seconds>(duration).count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return TwoUnits(seconds / 60, "min", seconds % 60, "s");
  return TwoUnits(seconds / 3600, "h", seconds % 3600 / 60, "min");
}

}  // namespace sysfleet
