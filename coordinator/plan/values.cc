#include "coordinator/plan/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace sysfleet {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Digits with single underscores between them, without them; nothing else.
std::optional<std::string> PlainDigits(std::string_view text) {
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsDigit(text[i])) {
      digits += text[i];
    } else if (text[i] != '_' || i == 0 || !IsDigit(text[i - 1]) || i + 1 == text.size()) {
      return std::nullopt;
    }
  }
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
  return digits;
}

int64_t ScaleOf(char suffix) {
  switch (Lower(suffix)) {
    case 'k':
      return 1'000;
    case 'm':
      return 1'000'000;
    case 'g':
      return 1'000'000'000;
    case 't':
      return 1'000'000'000'000;
    default:
      return 1;
  }
}

}  // namespace

std::optional<int64_t> ParseInteger(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const int64_t scale = text.empty() ? 1 : ScaleOf(text.back());
  if (scale != 1) text.remove_suffix(1);
  const std::optional<std::string> digits = PlainDigits(text);
  if (!digits) return std::nullopt;
  int64_t number = 0;
  const char* const end = digits->data() + digits->size();
  if (std::from_chars(digits->data(), end, number).ec != std::errc()) return std::nullopt;
  if (__builtin_mul_overflow(number, negative ? -scale : scale, &number)) return std::nullopt;
  return number;
}

std::optional<double> ParseDecimal(std::string_view text) {
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  if (!PlainDigits(whole) || whole.find('_') != std::string_view::npos) return std::nullopt;
  if (point != std::string_view::npos) {
    const std::string_view fraction = text.substr(point + 1);
    if (fraction.empty() || !std::all_of(fraction.begin(), fraction.end(), IsDigit)) {
      return std::nullopt;
    }
  }
  double number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc()) return std::nullopt;
  return number;
}

std::optional<std::chrono::seconds> ParseDuration(std::string_view text) {
  // More than this many of a unit would be a mistake, and far from overflowing.
  constexpr int64_t kCountMax = 1'000'000'000;
  constexpr std::string_view kUnits = "hms";
  constexpr int64_t kSeconds[] = {3600, 60, 1};
  int64_t total = 0;
  size_t next_unit = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::optional<int64_t> count = ParseInteger(text.substr(0, digits));
    if (!count || *count > kCountMax) return std::nullopt;
    text.remove_prefix(digits);
    if (text.empty()) {
      // A number alone is in seconds; behind another unit it is a mistake.
      if (next_unit != 0) return std::nullopt;
      return std::chrono::seconds(*count);
    }
    const size_t unit = kUnits.find(text.front());
    if (unit == std::string_view::npos || unit < next_unit) return std::nullopt;
    total += *count * kSeconds[unit];
    next_unit = unit + 1;
    text.remove_prefix(1);
  }
  return std::chrono::seconds(total);
}

std::optional<bool> ParseSwitch(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  for (const std::string_view word : {"on", "true", "yes", "1"}) {
    if (lower == word) return true;
  }
  for (const std::string_view word : {"off", "false", "no", "0"}) {
    if (lower == word) return false;
  }
  return std::nullopt;
}

bool IsPlainName(std::string_view name) {
  constexpr size_t kBytesMax = 100;
  return !name.empty() && name.size() <= kBytesMax && name != "." && name != ".." &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-';
         });
}

}  // namespace sysfleet
