// Loads, and drops, the tables that a plan defines itself.
#pragma once

#include <memory>

#include "coordinator/prepare/preparer.h"

namespace sysfleet {

std::unique_ptr<Preparer> MakeOwnPreparer(const Plan& plan, ExistingData existing,
                                          PrepareExtent extent);
std::unique_ptr<Preparer> MakeOwnCleaner(const Plan& plan);

}  // namespace sysfleet
