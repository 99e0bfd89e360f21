#include "coordinator/run/auditor.h"

#include <utility>

#include "common/base/status.h"
#include "coordinator/run/table_audit.h"
#include "coordinator/run/task_session.h"
#include "coordinator/workload/dialect.h"

namespace sysfleet {

absl::Status Auditor::Begin() {
  if (before_) return absl::OkStatus();
  auto counts = Count();
  if (!counts.ok()) return counts.status();
  before_ = *std::move(counts);
  return absl::OkStatus();
}

absl::StatusOr<AuditResult> Auditor::End(const CellResult& cell) {
  auto after = Count();
  if (!after.ok()) return after.status();
  const std::vector<TableCount> before = *std::exchange(before_, std::nullopt);
  AuditResult audit;
  for (size_t i = 0; i < before.size(); ++i) {
    const TableChanges changes =
        i < cell.table_changes.size() ? cell.table_changes[i] : TableChanges{};
    audit.tables.push_back(
        AuditTable(TableName(static_cast<int>(i) + 1), before[i], (*after)[i], changes));
  }
  if (!HasUnknownChanges(cell.table_changes)) before_ = *std::move(after);
  return audit;
}

absl::StatusOr<std::vector<TableCount>> Auditor::Count() {
  TaskSession session(fleet_, plan_, schedule_.load);
  TableCounter counter(plan_);
  SYSFLEET_RETURN_IF_ERROR(session.Open());
  SYSFLEET_RETURN_IF_ERROR(session.Run(counter, [] {}));
  SYSFLEET_RETURN_IF_ERROR(session.Close());
  return counter.counts();
}

}  // namespace sysfleet
