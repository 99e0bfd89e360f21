#include "coordinator/plan/limit.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "common/base/status.h"
#include "coordinator/plan/values.h"

namespace sysfleet {
namespace {

constexpr std::string_view kSpace = " \t";

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

absl::Status ReadMetric(std::string_view name, LimitCondition& condition) {
  struct Named {
    std::string_view name;
    Metric metric;
  };
  static constexpr std::array kMetrics = {Named{"avg", Metric::kMean}, Named{"max", Metric::kMax},
                                          Named{"errors", Metric::kErrors},
                                          Named{"tps", Metric::kTps}, Named{"qps", Metric::kQps}};
  for (const Named& named : kMetrics) {
    if (named.name != name) continue;
    condition.metric = named.metric;
    return absl::OkStatus();
  }
  if (name.starts_with('p')) {
    const std::optional<double> percent = ParseDecimal(name.substr(1));
    if (percent && *percent > 0 && *percent <= 100) {
      condition.metric = Metric::kPercentile;
      condition.percent = *percent;
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(fmt::format(
      "expected avg, max, a percentile such as p99, errors, tps or qps, got '{}'", name));
}

std::optional<double> InMilliseconds(std::string_view text) {
  // The longer unit first: "ms" ends with "s".
  constexpr std::array<std::pair<std::string_view, double>, 3> kUnits = {
      {{"us", 1e-3}, {"ms", 1}, {"s", 1e3}}};
  for (const auto& [unit, milliseconds] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = ParseDecimal(Trimmed(text.substr(0, text.size() - unit.size())));
    if (!number) return std::nullopt;
    return *number * milliseconds;
  }
  return std::nullopt;
}

std::optional<double> AsPercent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  return ParseDecimal(Trimmed(text.substr(0, text.size() - 1)));
}

std::optional<double> AsNumber(std::string_view text) {
  if (const auto whole = ParseInteger(text)) return static_cast<double>(*whole);
  return ParseDecimal(text);
}

absl::Status ReadValue(std::string_view text, LimitCondition& condition) {
  std::optional<double> value;
  std::string_view expected;
  switch (condition.metric) {
    case Metric::kPercentile:
    case Metric::kMean:
    case Metric::kMax:
      value = InMilliseconds(text);
      expected = "a time such as 20ms";
      break;
    case Metric::kErrors:
      value = AsPercent(text);
      expected = "a share such as 0.1%";
      break;
    case Metric::kTps:
    case Metric::kQps:
      value = AsNumber(text);
      expected = "a number such as 5000";
      break;
  }
  if (!value) {
    return absl::InvalidArgumentError(fmt::format("expected {}, got '{}'", expected, text));
  }
  condition.value = *value;
  return absl::OkStatus();
}

absl::StatusOr<LimitCondition> ReadCondition(std::string_view text) {
  const size_t place = text.find_first_of("<>");
  if (place == std::string_view::npos) {
    return absl::InvalidArgumentError(
        fmt::format("expected a comparison such as p99 < 20ms, got '{}'", text));
  }
  const bool may_equal = place + 1 < text.size() && text[place + 1] == '=';
  const bool is_less = text[place] == '<';
  LimitCondition condition;
  condition.comparison = is_less ? (may_equal ? Comparison::kAtMost : Comparison::kBelow)
                                 : (may_equal ? Comparison::kAtLeast : Comparison::kAbove);
  condition.text = std::string(text);
  SYSFLEET_RETURN_IF_ERROR(ReadMetric(Trimmed(text.substr(0, place)), condition));
  SYSFLEET_RETURN_IF_ERROR(ReadValue(Trimmed(text.substr(place + (may_equal ? 2 : 1))), condition));
  return condition;
}

}  // namespace

absl::StatusOr<Limit> ParseLimit(std::string_view text) {
  constexpr std::string_view kAnd = " and ";
  Limit limit;
  while (true) {
    const size_t end = text.find(kAnd);
    auto condition = ReadCondition(Trimmed(text.substr(0, end)));
    if (!condition.ok()) return condition.status();
    limit.push_back(*std::move(condition));
    if (end == std::string_view::npos) return limit;
    text.remove_prefix(end + kAnd.size());
  }
}

std::string ToString(const Limit& limit) {
  std::string text;
  for (const LimitCondition& condition : limit) {
    text += (text.empty() ? "" : " and ") + condition.text;
  }
  return text;
}

}  // namespace sysfleet
