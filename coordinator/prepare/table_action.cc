#include "coordinator/prepare/table_action.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/base/status.h"
#include "common/base/text.h"
#include "coordinator/prepare/spec.h"
#include "coordinator/prepare/text.h"
#include "coordinator/workload/dialect.h"

namespace sysfleet {
namespace {

bool In(const FoundTable& table, LoadState state) {
  return table.record && table.record->state == state;
}

absl::Status Mismatch(int number, std::string_view what) {
  return absl::FailedPreconditionError(fmt::format("{} {}", TableName(number), what));
}

bool HasPlannedColumns(const Plan& plan, const FoundTable& table) {
  return std::ranges::equal(table.columns, PlannedColumns(plan.dataset));
}

absl::Status CheckColumns(const Plan& plan, int number, const FoundTable& table) {
  if (!HasPlannedColumns(plan, table)) {
    return Mismatch(
        number, fmt::format("has the columns {}, the plan wants {}", fmt::join(table.columns, ", "),
                            fmt::join(PlannedColumns(plan.dataset), ", ")));
  }
  if (table.auto_inc != plan.dataset.auto_inc) {
    return Mismatch(number,
                    plan.dataset.auto_inc
                        ? "does not number its rows by itself, the plan wants auto_inc: true"
                        : "numbers its rows by itself, the plan wants auto_inc: false");
  }
  return absl::OkStatus();
}

absl::Status CheckIndex(const Plan& plan, int number, const FoundTable& table) {
  if (table.secondary == plan.dataset.create_secondary) return absl::OkStatus();
  return Mismatch(
      number,
      plan.dataset.create_secondary
          ? fmt::format("has no index k_{}, the plan wants create_secondary: true", number)
          : fmt::format("has an index k_{}, the plan wants create_secondary: false", number));
}

absl::StatusOr<TableAction> DecideUnrecorded(const Plan& plan, int number,
                                             const FoundTable& table) {
  SYSFLEET_RETURN_IF_ERROR(CheckColumns(plan, number, table));
  const IdCount count = table.count.value_or(IdCount{});
  const int64_t size = plan.dataset.table_size;
  if (count.rows != size) {
    return Mismatch(number, fmt::format("has {}, the plan wants {}, and sysfleet did not load it",
                                        Counted(count.rows, "row"), Grouped(size)));
  }
  if (size > 0 && (count.min != 1 || count.max != size)) {
    return Mismatch(number, fmt::format("has ids from {} to {}, the plan wants 1 to {}, and "
                                        "sysfleet did not load it",
                                        Grouped(count.min), Grouped(count.max), Grouped(size)));
  }
  SYSFLEET_RETURN_IF_ERROR(CheckIndex(plan, number, table));
  return TableAction::kAdopt;
}

// Its creation was interrupted before any row was loaded. Rows in it, or other columns, mean that
// another program made a table of this name at that very moment.
absl::StatusOr<TableAction> DecideCreating(int number, const FoundTable& table) {
  if (!table.count) return Mismatch(number, "has columns that sysfleet did not create");
  if (table.count->rows == 0) return TableAction::kDropAndCreate;
  return Mismatch(
      number, fmt::format("has {} that sysfleet did not load", Counted(table.count->rows, "row")));
}

absl::StatusOr<TableAction> DecideRecorded(const Plan& plan, int number, const FoundTable& table) {
  if (In(table, LoadState::kCreating)) return DecideCreating(number, table);
  const std::string difference = DifferenceFromPlan(table.record->spec, plan);
  if (!difference.empty()) return Mismatch(number, fmt::format("differs: {}", difference));
  SYSFLEET_RETURN_IF_ERROR(CheckColumns(plan, number, table));
  // What an earlier run inserted would be in the way of the next.
  if (plan.dataset.schema == DatasetSchema::kBulkInsert) return TableAction::kDropAndCreate;
  if (In(table, LoadState::kLoading)) return TableAction::kResume;
  SYSFLEET_RETURN_IF_ERROR(CheckIndex(plan, number, table));
  return TableAction::kUse;
}

}  // namespace

bool NeedsCount(const Plan& plan, const FoundTable& table) {
  return HasPlannedColumns(plan, table) && (!table.record || In(table, LoadState::kCreating));
}

bool NeedsChunks(const FoundTable& table) {
  return table.exists() && In(table, LoadState::kLoading);
}

absl::StatusOr<TableAction> Decide(const Plan& plan, int number, const FoundTable& table,
                                   ExistingData existing) {
  if (!table.exists()) return TableAction::kCreate;
  if (existing == ExistingData::kRecreate) return TableAction::kDropAndCreate;
  return table.record ? DecideRecorded(plan, number, table) : DecideUnrecorded(plan, number, table);
}

}  // namespace sysfleet
