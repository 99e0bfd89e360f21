// A value of a plan's own workloads and tables, as a plan writes how it comes about.
#pragma once

#include <optional>
#include <string_view>

#include "coordinator/plan/own_plan.h"
#include "coordinator/plan/section.h"

namespace sysfleet {

/// Who has the value: only a variable can be a new id, only a column the row's number.
enum class ValueOwner : uint8_t { kVariable, kColumn };

/// "{uniform: [1, 10]}", "{pattern: ab##}", "unique", "row", "42". Adds errors at their place.
std::optional<OwnGenerator> ReadGenerator(const Node& node, std::string_view path, ValueOwner owner,
                                          const ReadContext& context);

}  // namespace sysfleet
