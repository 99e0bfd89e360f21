// A plan's own generators as agents know them. Internal to this folder: brings in protobuf. Pure
// functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "coordinator/plan/own_plan.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {

/// `place_of` knows the names that formulas use.
v1::Generator ToMessage(const OwnGenerator& generator,
                        const std::function<uint32_t(const std::string&)>& place_of);

}  // namespace sysfleet
