// Asks the database how many rows each table of the plan has, and for the sum of its k: what an
// audit compares. Reads every table once.
#pragma once

#include <cstdint>
#include <vector>

#include "coordinator/prepare/staged_preparer.h"

namespace sysfleet {

struct TableCount {
  int64_t rows = 0;
  int64_t k_sum = 0;
};

class TableCounter final : public StagedPreparer {
 public:
  /// `plan` must outlive it.
  explicit TableCounter(const Plan& plan);

  PrepareProgress progress() const override;
  std::vector<std::string> notes() const override { return {}; }

  /// By table, from the first; complete once finished() without an error.
  const std::vector<TableCount>& counts() const { return counts_; }

 protected:
  bool Enter(int stage) override;

 private:
  absl::Status OnCount(TableCount& count, const v1::TaskDone& done);

  const Plan& plan_;
  std::vector<TableCount> counts_;
};

}  // namespace sysfleet
