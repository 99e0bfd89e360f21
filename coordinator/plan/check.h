// What the values of a plan must fulfil together. Values that were wrong by themselves are left
// out, so that one mistake gives one error.
#pragma once

#include "coordinator/plan/document.h"
#include "coordinator/plan/error_list.h"
#include "coordinator/plan/plan.h"

namespace sysfleet {

/// `root` is what `plan` was read from; it gives the errors their places.
void CheckPlan(const Plan& plan, const Node& root, ErrorList& errors);

}  // namespace sysfleet
