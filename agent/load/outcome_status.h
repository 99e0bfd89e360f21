// The server's errors as statuses that a coordinator can act on. Pure functions.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "agent/database/connection.h"
#include "agent/database/factory.h"

namespace sysfleet {

/// UNAVAILABLE: the connection is gone. ABORTED: nothing of the transaction remains, and it may be
/// tried again. ALREADY_EXISTS: a primary or unique key. RESOURCE_EXHAUSTED: disk, memory,
/// connections. PERMISSION_DENIED, NOT_FOUND (the database): only the user can help. Anything else
/// is FAILED_PRECONDITION. "database db-1:5432: COPY sbtest1: disk is full (53100)".
absl::Status ToStatus(const Outcome& outcome, const Endpoint& node, std::string_view doing);

}  // namespace sysfleet
