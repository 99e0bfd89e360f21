#include "agent/calibration/text.h"

#include <fmt/format.h>

#include "common/base/text.h"

namespace sysfleet {
namespace {

constexpr std::string_view kLine = "{:<10}  {:>16}  {:>12}  {:>11}  {:>12}\n";

}  // namespace

std::string CalibrationHead() {
  return fmt::format(kLine, "family", "connections/core", "QPS per core", "CPU us each",
                     "QPS in all");
}

std::string CalibrationRow(const CoreRate& rate, int cores) {
  return fmt::format(kLine, rate.family == DriverFamily::kPostgresql ? "postgresql" : "mysql",
                     Grouped(rate.connections), WithThousands(rate.qps, 0),
                     WithThousands(1e6 / rate.qps, 2), WithThousands(rate.qps * cores, 0));
}

}  // namespace sysfleet
