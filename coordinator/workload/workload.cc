#include "coordinator/workload/workload.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "common/base/status.h"
#include "coordinator/plan/known_workloads.h"
#include "coordinator/workload/bodies.h"
#include "coordinator/workload/builder.h"
#include "coordinator/workload/own_workload.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

struct Recipe {
  Body body;
  /// BEGIN and COMMIT around the body, unless skip_trx.
  bool transactional = false;
};

Recipe RecipeOf(Builtin builtin) {
  switch (builtin) {
    case Builtin::kBulkInsert:
      return {AddBulkInsert};
    case Builtin::kIdle:
      return {AddIdle};
    case Builtin::kDelete:
      return {AddDelete};
    case Builtin::kInsert:
      return {AddInsert};
    case Builtin::kJoin:
      return {AddJoin};
    case Builtin::kMultiInsert:
      return {AddMultiInsert, true};
    case Builtin::kMultiValueInsert:
      return {AddMultiValueInsert};
    case Builtin::kPointSelect:
      return {AddPointSelect};
    case Builtin::kPrimaryKeyScan:
      return {AddOrderRanges};
    case Builtin::kReadOnly:
      return {AddReadOnly, true};
    case Builtin::kReadWrite:
      return {AddReadWrite, true};
    case Builtin::kSequentialScan:
      return {AddSequentialScan};
    case Builtin::kSimpleRanges:
      return {AddSimpleRanges};
    case Builtin::kSumScan:
      return {AddSumRanges};
    case Builtin::kUpdateIndex:
      return {AddIndexUpdates};
    case Builtin::kUpdateNonIndex:
      return {AddNonIndexUpdates};
    case Builtin::kWriteOnly:
      return {AddWriteOnly, true};
    case Builtin::kSelectOne:
      return {AddSelectOne};
    case Builtin::kRandomPoints:
      return {AddRandomPoints};
    case Builtin::kRandomRanges:
      return {AddRandomRanges};
  }
  return {AddIdle};
}

// Ids are INTEGER columns; a range may pass the last row, but not the type.
absl::Status CheckReach(const WorkloadPlan& workload, const DatasetPlan& dataset) {
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  const int64_t last_id = dataset.table_size + ReachOf(workload);
  if (dataset.id_type == IdType::kInt64 || last_id <= kLargest) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "workload {}: ranges reach id {} (of {} rows), beyond the largest INTEGER, {}; make "
      "table_size or the ranges smaller, or give dataset.id_type: int64",
      workload.label, last_id, dataset.table_size, kLargest));
}

}  // namespace

absl::StatusOr<v1::Workload> CompileWorkload(const WorkloadPlan& workload,
                                             const DatasetPlan& dataset, Driver driver) {
  if (workload.own) return CompileOwnWorkload(workload, driver);
  const KnownWorkload* const known = FindWorkload(workload.use);
  if (known == nullptr) {
    std::vector<std::string_view> names;
    for (const KnownWorkload& other : KnownWorkloads()) names.push_back(other.name);
    return absl::InvalidArgumentError(fmt::format("workload '{}' is not built in; there are: {}",
                                                  workload.use, fmt::join(names, ", ")));
  }
  SYSFLEET_RETURN_IF_ERROR(CheckReach(workload, dataset));
  const Recipe recipe = RecipeOf(known->builtin);
  const bool with_trx = recipe.transactional && !workload.options.skip_trx;

  WorkloadBuilder builder(workload, dataset, driver);
  if (with_trx) builder.AddPlain("begin", "BEGIN");
  recipe.body({workload.options, dataset, driver}, builder);
  if (with_trx) builder.AddPlain("commit", "COMMIT");
  if (builder.queries() == 0) {
    return absl::InvalidArgumentError(
        fmt::format("workload {}: its options leave no statement to execute", workload.label));
  }
  return std::move(builder).Build();
}

}  // namespace sysfleet
