// Generators in words. Internal to this folder: brings in protobuf. Pure.
#pragma once

#include <string>

#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {

/// "uniform(1, 1000)"; variables by their names in `workload`.
std::string DescribeGenerator(const v1::Workload& workload, const v1::Generator& generator);

}  // namespace sysfleet
