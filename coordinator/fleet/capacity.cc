#include "coordinator/fleet/capacity.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace sysfleet {
namespace {

// Whoever needs more has made a mistake elsewhere.
constexpr int kCoresMax = 1'000'000;

double AverageQpsPerCore(std::span<const ClientMachine> machines, double connections) {
  double qps = 0;
  int cores = 0;
  for (const ClientMachine& machine : machines) {
    if (machine.rates.empty()) continue;
    qps += machine.cores * QpsPerCore(machine.rates, connections);
    cores += machine.cores;
  }
  return cores == 0 ? 0 : qps / cores;
}

}  // namespace

double QpsPerCore(std::span<const CoreRate> rates, double connections) {
  const auto above = std::find_if(rates.begin(), rates.end(), [&](const CoreRate& rate) {
    return rate.connections >= connections;
  });
  if (above == rates.begin()) return rates.front().qps;
  if (above == rates.end()) return rates.back().qps;
  const CoreRate& below = *(above - 1);
  const double place = std::log(connections / below.connections) /
                       std::log(static_cast<double>(above->connections) / below.connections);
  return below.qps + place * (above->qps - below.qps);
}

int CoresOf(std::span<const ClientMachine> machines) {
  int cores = 0;
  for (const ClientMachine& machine : machines) cores += machine.cores;
  return cores;
}

std::optional<int> CoresNeeded(std::span<const ClientMachine> machines, double qps, int threads) {
  if (AverageQpsPerCore(machines, threads) <= 0) return std::nullopt;
  // With more cores each has fewer connections, so that they drive more in any case.
  const auto counts = std::views::iota(1, kCoresMax);
  const auto enough = std::ranges::partition_point(counts, [&](int cores) {
    return cores * AverageQpsPerCore(machines, static_cast<double>(threads) / cores) < qps;
  });
  return enough == counts.end() ? kCoresMax : *enough;
}

}  // namespace sysfleet
