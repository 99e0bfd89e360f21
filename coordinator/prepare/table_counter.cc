#include "coordinator/prepare/table_counter.h"

#include <fmt/format.h>

#include "common/base/status.h"
#include "coordinator/prepare/answer.h"
#include "coordinator/prepare/jobs.h"
#include "coordinator/workload/dialect.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {

TableCounter::TableCounter(const Plan& plan)
    : plan_(plan), counts_(static_cast<size_t>(plan.dataset.tables)) {}

PrepareProgress TableCounter::progress() const {
  PrepareProgress progress;
  progress.phase = finished() ? PreparePhase::kDone : PreparePhase::kVerifying;
  return progress;
}

bool TableCounter::Enter(int stage) {
  if (stage > 0) return false;
  for (int number = 1; number <= plan_.dataset.tables; ++number) {
    const std::string table = TableName(number);
    TableCount& count = counts_[static_cast<size_t>(number) - 1];
    queue_.Add(QueryJob(table, fmt::format("SELECT count(*), sum(k) FROM {}", table),
                        [this, &count](const v1::TaskDone& done) { return OnCount(count, done); }));
  }
  return true;
}

absl::Status TableCounter::OnCount(TableCount& count, const v1::TaskDone& done) {
  SYSFLEET_RETURN_IF_ERROR(CheckWidth(done, 2));
  if (done.rows_size() != 1) return absl::InternalError("the server did not answer a count");
  int64_t* const values[] = {&count.rows, &count.k_sum};
  for (int i = 0; i < 2; ++i) {
    const v1::Field& field = done.rows(0).fields(i);
    if (!field.has_text()) continue;  // the sum of no rows
    const absl::StatusOr<int64_t> value = ToInteger(field.text());
    if (!value.ok()) return value.status();
    *values[i] = *value;
  }
  return absl::OkStatus();
}

}  // namespace sysfleet
