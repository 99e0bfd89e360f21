// Decides what becomes of a table that was found, or not found, in the database. Pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "coordinator/plan/plan.h"
#include "coordinator/prepare/preparer.h"
#include "coordinator/prepare/survey.h"

namespace sysfleet {

enum class TableAction : uint8_t {
  kUse,            // it is what the plan wants
  kAdopt,          // somebody else loaded it, and it fits
  kResume,         // some of its rows are there
  kCreate,         // it is not there
  kDropAndCreate,  // it is there and may go
};

/// Whether the decision needs the table's rows counted, or its loaded chunks listed.
bool NeedsCount(const Plan& plan, const FoundTable& table);
bool NeedsChunks(const FoundTable& table);

/// FAILED_PRECONDITION for a table that is not what the plan wants, with what differs; the hint to
/// recreate it is the caller's.
absl::StatusOr<TableAction> Decide(const Plan& plan, int number, const FoundTable& table,
                                   ExistingData existing);

}  // namespace sysfleet
