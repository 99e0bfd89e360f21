// Compares what a database says of a table with what the fleet did to it. Pure functions.
#pragma once

#include <span>
#include <string>

#include "coordinator/prepare/table_counter.h"
#include "coordinator/result/result.h"

namespace sysfleet {

/// What a transaction did whose COMMIT was not answered may be there or not, so each one widens
/// what is expected.
TableAudit AuditTable(std::string table, const TableCount& before, const TableCount& after,
                      const TableChanges& changes);

/// Something of it may still be committed later.
bool HasUnknownChanges(std::span<const TableChanges> changes);

}  // namespace sysfleet
