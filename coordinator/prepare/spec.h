// The canonical description of a data set: everything that determines its content and its schema,
// as one line of JSON. It is stored beside the tables, so that a later plan can tell whether they
// are what it wants. How the rows were cut into chunks is not part of it. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "coordinator/plan/plan.h"

namespace sysfleet {

/// Of tables that were loaded for this plan.
std::string SpecOf(const Plan& plan);

/// Of tables that somebody else loaded and that were found to fit: only what has been checked.
std::string AdoptedSpecOf(const Plan& plan);

/// How a recorded description differs from the plan's, for people: "table_size is 1000, the plan
/// wants 2000; seed is 1, the plan wants 2". Empty where it does not.
std::string DifferenceFromPlan(std::string_view recorded, const Plan& plan);

}  // namespace sysfleet
