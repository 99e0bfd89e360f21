// Keeps a plan's secrets out of what people and files get to see. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "coordinator/plan/plan.h"

namespace sysfleet {

/// What stands in place of a secret.
inline constexpr std::string_view kHiddenSecret = "***";

/// `text` with "***" for the password and for every other secret of the plan.
std::string HideSecrets(std::string text, const DatabasePlan& database);

}  // namespace sysfleet
