// Arithmetic on integers as a person writes it: "(a + 2) * b". Pure functions.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "coordinator/plan/own_plan.h"

namespace sysfleet {

/// + and - bind less than *, / and %. INVALID_ARGUMENT says what was expected, and where.
absl::StatusOr<Formula> ParseFormula(std::string_view text);

}  // namespace sysfleet
