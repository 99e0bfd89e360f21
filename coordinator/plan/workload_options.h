// The options of workloads and distributions as tables, so that reading and writing plans treat all
// of them alike.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "coordinator/plan/plan.h"
#include "coordinator/plan/section.h"

namespace sysfleet {

/// A member of `Options`, and what its value may be.
template <typename Options>
struct PlanOption {
  template <typename Value>
  using Member = Value Options::*;

  std::string_view name;
  std::variant<Member<int>, Member<bool>, Member<double>, Member<RandType>, Member<PsMode>> member;
  /// Of an int, included.
  Range range = {};
  /// Of a double.
  DecimalRange decimal_range = {};
};

using WorkloadOption = PlanOption<WorkloadOptions>;
using RandomOption = PlanOption<RandomOptions>;

/// All of WorkloadOptions but `random`, in its order.
std::span<const WorkloadOption> WorkloadOptionList();

/// All of RandomOptions.
std::span<const RandomOption> RandomOptionList();

/// Reads each option that stands in the section; the others stay as they are.
void ReadOptions(Section& section, WorkloadOptions& options);
void ReadOptions(Section& section, RandomOptions& options);

/// An option's value as a plan has it.
std::string OptionText(const WorkloadOption& option, const WorkloadOptions& options);
std::string OptionText(const RandomOption& option, const RandomOptions& options);

}  // namespace sysfleet
