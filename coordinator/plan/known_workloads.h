// The built-in workloads: their names, and what a plan's checks need to know of them. The only
// place that names them; the compiler of workloads goes by Builtin.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "coordinator/plan/plan.h"

namespace sysfleet {

enum class Builtin : uint8_t {
  kBulkInsert,
  kIdle,
  kDelete,
  kInsert,
  kJoin,
  kMultiInsert,
  kMultiValueInsert,
  kPointSelect,
  kPrimaryKeyScan,
  kReadOnly,
  kReadWrite,
  kSequentialScan,
  kSimpleRanges,
  kSumScan,
  kUpdateIndex,
  kUpdateNonIndex,
  kWriteOnly,
  kSelectOne,
  kRandomPoints,
  kRandomRanges,
};

/// What a workload needs of the data set.
enum class NeededTables : uint8_t { kNone, kSbtest, kSbtestAutoInc, kBulkInsert };

struct KnownWorkload {
  std::string_view name;
  Builtin builtin;
  NeededTables tables = NeededTables::kSbtest;
};

/// Sorted by name.
constexpr std::array<KnownWorkload, 21> KnownWorkloads() {
  return {{
      {"bulk_insert", Builtin::kBulkInsert, NeededTables::kBulkInsert},
      {"idle", Builtin::kIdle, NeededTables::kNone},
      {"idleconnection", Builtin::kIdle, NeededTables::kNone},
      {"oltp_delete", Builtin::kDelete},
      {"oltp_insert", Builtin::kInsert},
      {"oltp_join", Builtin::kJoin},
      {"oltp_multi_insert", Builtin::kMultiInsert},
      {"oltp_multi_value_insert", Builtin::kMultiValueInsert, NeededTables::kSbtestAutoInc},
      {"oltp_point_select", Builtin::kPointSelect},
      {"oltp_primarykey_scan", Builtin::kPrimaryKeyScan},
      {"oltp_read_only", Builtin::kReadOnly},
      {"oltp_read_write", Builtin::kReadWrite},
      {"oltp_sequential_scan", Builtin::kSequentialScan},
      {"oltp_simple_ranges", Builtin::kSimpleRanges},
      {"oltp_sum_scan", Builtin::kSumScan},
      {"oltp_update_index", Builtin::kUpdateIndex},
      {"oltp_update_non_index", Builtin::kUpdateNonIndex},
      {"oltp_write_only", Builtin::kWriteOnly},
      {"select_one", Builtin::kSelectOne, NeededTables::kNone},
      {"select_random_points", Builtin::kRandomPoints},
      {"select_random_ranges", Builtin::kRandomRanges},
  }};
}

/// nullptr where no built-in workload has this name.
inline const KnownWorkload* FindWorkload(std::string_view name) {
  static constexpr auto kKnown = KnownWorkloads();
  const auto* const found = std::find_if(
      kKnown.begin(), kKnown.end(), [&](const KnownWorkload& known) { return known.name == name; });
  return found == kKnown.end() ? nullptr : found;
}

/// How far behind a drawn id a workload's statements reach; 0 for single rows.
inline int64_t ReachOf(const WorkloadPlan& workload) {
  const KnownWorkload* const known = FindWorkload(workload.use);
  if (known == nullptr) return 0;
  const WorkloadOptions& options = workload.options;
  switch (known->builtin) {
    case Builtin::kReadOnly:
    case Builtin::kReadWrite:
      return options.range_selects ? options.range_size - 1 : 0;
    case Builtin::kSimpleRanges:
    case Builtin::kSumScan:
    case Builtin::kPrimaryKeyScan:
      return options.range_size - 1;
    case Builtin::kJoin:
      return options.range_size;
    case Builtin::kRandomRanges:
      return options.delta;
    default:
      return 0;
  }
}

}  // namespace sysfleet
