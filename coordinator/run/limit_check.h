// Whether a cell keeps a search's limit. Pure functions.
#pragma once

#include <string>

#include "coordinator/plan/limit.h"
#include "coordinator/result/result.h"

namespace sysfleet {

/// "p99 24.10 ms": the first condition that does not hold, as it was measured; empty where all do.
/// A rate that was not reached, and a cell without a transaction, keep no limit.
std::string MissedLimit(const Limit& limit, const CellResult& cell);

}  // namespace sysfleet
