#include "coordinator/run/limit_check.h"

#include <fmt/format.h>

#include "common/base/text.h"

namespace sysfleet {
namespace {

constexpr double kRateMissedMax = 0.01;

double Milliseconds(double ns) {
  return ns / 1e6;
}

double Measured(const LimitCondition& condition, const CellResult& cell) {
  const Histogram& response = cell.Response();
  switch (condition.metric) {
    case Metric::kPercentile:
      return Milliseconds(static_cast<double>(response.PercentileNs(condition.percent)));
    case Metric::kMean:
      return Milliseconds(response.MeanNs());
    case Metric::kMax:
      return Milliseconds(static_cast<double>(response.max_ns()));
    case Metric::kErrors:
      return 100 * static_cast<double>(cell.errors) /
             static_cast<double>(cell.errors + cell.transactions);
    case Metric::kTps:
      return cell.Tps();
    case Metric::kQps:
      return cell.Qps();
  }
  return 0;
}

bool Holds(Comparison comparison, double measured, double value) {
  switch (comparison) {
    case Comparison::kBelow:
      return measured < value;
    case Comparison::kAtMost:
      return measured <= value;
    case Comparison::kAbove:
      return measured > value;
    case Comparison::kAtLeast:
      return measured >= value;
  }
  return false;
}

std::string Describe(const LimitCondition& condition, double measured) {
  switch (condition.metric) {
    case Metric::kPercentile:
      return fmt::format("p{:g} {} ms", condition.percent, WithThousands(measured, 2));
    case Metric::kMean:
      return fmt::format("avg {} ms", WithThousands(measured, 2));
    case Metric::kMax:
      return fmt::format("max {} ms", WithThousands(measured, 2));
    case Metric::kErrors:
      return fmt::format("errors {:.3g} %", measured);
    case Metric::kTps:
      return fmt::format("{} TPS", WithThousands(measured, 1));
    case Metric::kQps:
      return fmt::format("{} QPS", WithThousands(measured, 1));
  }
  return "";
}

}  // namespace

std::string MissedLimit(const Limit& limit, const CellResult& cell) {
  if (cell.transactions == 0) return "no transaction committed";
  for (const LimitCondition& condition : limit) {
    const double measured = Measured(condition, cell);
    if (!Holds(condition.comparison, measured, condition.value)) {
      return Describe(condition, measured);
    }
  }
  if (cell.RateMissed() > kRateMissedMax) {
    return fmt::format("rate missed by {:.1f} %", cell.RateMissed() * 100);
  }
  return "";
}

}  // namespace sysfleet
