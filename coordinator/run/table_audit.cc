#include "coordinator/run/table_audit.h"

#include <algorithm>
#include <utility>

namespace sysfleet {
namespace {

AuditedFigure Figure(int64_t before, int64_t after, int64_t change, uint64_t less, uint64_t more) {
  return {.before = before,
          .after = after,
          .expected_min = before + change - static_cast<int64_t>(less),
          .expected_max = before + change + static_cast<int64_t>(more)};
}

}  // namespace

TableAudit AuditTable(std::string table, const TableCount& before, const TableCount& after,
                      const TableChanges& changes) {
  TableAudit audit{.table = std::move(table), .confirmed = changes};
  audit.rows =
      Figure(before.rows, after.rows,
             static_cast<int64_t>(changes.inserted) - static_cast<int64_t>(changes.deleted),
             changes.deleted_unknown, changes.inserted_unknown);
  const bool rows_came_or_went =
      changes.inserted + changes.deleted + changes.inserted_unknown + changes.deleted_unknown > 0;
  if (!rows_came_or_went) {
    audit.k_sum = Figure(before.k_sum, after.k_sum, static_cast<int64_t>(changes.increments), 0,
                         changes.increments_unknown);
  }
  return audit;
}

bool HasUnknownChanges(std::span<const TableChanges> changes) {
  return std::any_of(changes.begin(), changes.end(), [](const TableChanges& table) {
    return table.increments_unknown + table.inserted_unknown + table.deleted_unknown > 0;
  });
}

}  // namespace sysfleet
