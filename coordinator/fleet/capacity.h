// How much load client cores can drive, from what their agents measured (`agent calibrate`). Pure
// functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace sysfleet {

/// What one core drives with a number of connections open on it: statements for each second of the
/// core's time.
struct CoreRate {
  int connections = 0;
  double qps = 0;
};

/// The rate with any number of connections. Between two that were measured it is taken from both,
/// by where the logarithm of `connections` lies between theirs; beyond them it is the nearest
/// one's. `rates` are in the order of their connections, and not empty.
double QpsPerCore(std::span<const CoreRate> rates, double connections);

struct ClientMachine {
  /// That drive load.
  int cores = 0;
  /// As QpsPerCore wants them; empty: not measured.
  std::vector<CoreRate> rates;
};

int CoresOf(std::span<const ClientMachine> machines);

/// The least number of cores that drive `qps` with `threads` connections spread over them, if they
/// are like the average core of those machines that were measured. At least 1; nothing where none
/// was measured.
std::optional<int> CoresNeeded(std::span<const ClientMachine> machines, double qps, int threads);

}  // namespace sysfleet
