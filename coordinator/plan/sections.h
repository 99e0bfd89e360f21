// Each section of a plan's file into its part of the Plan: values of the right type and range, and
// defaults that depend on other sections. What several values must fulfil together is check.h's.
// The functions are called in the order of this header: later ones use what earlier ones read.
#pragma once

#include "coordinator/plan/plan.h"
#include "coordinator/plan/section.h"

namespace sysfleet {

void ReadAgents(Section& top, Plan& plan);
void ReadFleet(Section& top, Plan& plan);
void ReadDatabase(Section& top, Plan& plan);
void ReadDataset(Section& top, Plan& plan);
void ReadLoad(Section& top, Plan& plan);
void ReadRun(Section& top, Plan& plan);
void ReadReport(Section& top, Plan& plan);

}  // namespace sysfleet
