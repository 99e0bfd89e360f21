// What this machine can drive: point selects a second for each client core, measured against null
// servers in this process.
//
// Cores are paired: one runs a reactor, the other the null server that answers it, because one
// polling null server can feed about one reactor. The cost of a statement is what CPU time the
// process took without its null servers' threads; so neither waiting for a null server nor another
// program on the machine changes it much.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/database/factory.h"

namespace sysfleet {

/// What one core drives with a number of connections open on it.
struct CoreRate {
  DriverFamily family = DriverFamily::kPostgresql;
  int connections = 0;
  /// Statements for each second of the core's CPU time.
  double qps = 0;
};

struct Calibration {
  /// When, as IsoUtc writes it; by which version, and where.
  std::string measured_at;
  std::string version;
  std::string host;
  /// Of the machine.
  int cores = 0;
  std::vector<CoreRate> rates;
};

struct CalibrationOptions {
  /// For each family and number of connections; the first quarter is left out.
  std::chrono::milliseconds time{3'500};
  /// On each client core.
  std::vector<int> connections = {64, 1024};
  /// How many files this process may have open. A connection has two, for both its ends are here.
  uint64_t open_files = 0;
};

/// Measures every family with every number of connections, and tells each rate when it has it.
/// Takes a little more than `time` for each. FAILED_PRECONDITION where this process may use one
/// core only, RESOURCE_EXHAUSTED where it may not open enough files.
absl::StatusOr<Calibration> Calibrate(const CalibrationOptions& options,
                                      const std::function<void(const CoreRate&)>& on_rate);

/// How many pairs of a reactor and a null server to measure with; 0 where there is no room for one.
/// More than 16 would tell little more, and their connections take a GiB of memory.
size_t CalibrationPairs(size_t cores, uint64_t open_files, int connections_max);

}  // namespace sysfleet
