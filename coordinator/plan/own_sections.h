// The sections of a plan that define workloads and tables of its own. Errors are added at their
// place. After the section database, whose driver they depend on.
#pragma once

#include "coordinator/plan/plan.h"
#include "coordinator/plan/section.h"

namespace sysfleet {

void ReadOwnTables(Section& top, Plan& plan);
void ReadOwnWorkloads(Section& top, Plan& plan);

}  // namespace sysfleet
