// Asks the database before and after a cell what its tables hold. Belongs to the run's thread.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/plan/plan.h"
#include "coordinator/prepare/table_counter.h"
#include "coordinator/result/result.h"
#include "coordinator/schedule/schedule.h"

namespace sysfleet {

class Auditor {
 public:
  /// All must outlive it.
  Auditor(Fleet& fleet, const Plan& plan, const Schedule& schedule)
      : fleet_(fleet), plan_(plan), schedule_(schedule) {}

  /// Before a cell. Takes what was counted after the one before, where nothing of that can still be
  /// under way.
  absl::Status Begin();

  /// Somebody else has changed the tables: what was counted is not taken.
  void Forget() { before_.reset(); }

  /// After a cell that is complete.
  absl::StatusOr<AuditResult> End(const CellResult& cell);

 private:
  absl::StatusOr<std::vector<TableCount>> Count();

  Fleet& fleet_;
  const Plan& plan_;
  const Schedule& schedule_;
  std::optional<std::vector<TableCount>> before_;
};

}  // namespace sysfleet
