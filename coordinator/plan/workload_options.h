// The numeric options of the oltp_* workloads as a table, so that reading and writing plans treat
// all of them alike.
#pragma once

#include <span>
#include <string_view>

#include "coordinator/plan/plan.h"

namespace sysfleet {

/// Exactly one of `number` and `flag` is set.
struct WorkloadOption {
  std::string_view name;
  int WorkloadOptions::*number = nullptr;
  bool WorkloadOptions::*flag = nullptr;
  /// Of `number`, included.
  int min = 0;
  int max = 0;
};

/// All of WorkloadOptions, in its order.
std::span<const WorkloadOption> WorkloadOptionList();

}  // namespace sysfleet
