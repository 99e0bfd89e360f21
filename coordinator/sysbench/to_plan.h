// A sysbench command as a plan. A pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "coordinator/plan/plan.h"
#include "coordinator/sysbench/arguments.h"

namespace sysfleet {

/// What a command line leaves to its surroundings.
struct SysbenchContext {
  /// The seed where --rand-seed is 0.
  uint64_t random_seed = 1;
  /// The password where none is given: the client libraries' own environment variables.
  std::string mysql_password;
  std::string pgsql_password;
};

/// How many seconds to wait behind the time limit before cutting off what is under way; nothing
/// where that is off.
std::optional<int64_t> ForcedShutdownSeconds(const SysbenchOptions& options);

/// "mysql" or "pgsql": what --db-driver says, or else what the other options suggest.
std::string DriverName(const SysbenchOptions& options);

/// INVALID_ARGUMENT with one line an option that cannot be: "--table-size: …".
absl::StatusOr<Plan> ToPlan(const SysbenchCommand& command, const SysbenchContext& context);

}  // namespace sysfleet
