// Parts of a plan's sections that are read alike in several places, or have rules of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coordinator/plan/plan.h"
#include "coordinator/plan/section.h"

namespace sysfleet {

/// warmup_time: a duration, or the bounds of one.
void ReadWarmup(Section& section, RunPlan& run);

/// repeat, order, pause, before_cell, after_cell and search; after run.time.
void ReadSweep(Section& section, Plan& plan);

/// A list of SQL statements, and what references in them stood for.
void ReadStatements(Section& section, std::string_view key, std::vector<std::string>& statements,
                    std::vector<std::string>& secrets);

}  // namespace sysfleet
