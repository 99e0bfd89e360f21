// Generators that rows and statements share. Internal to this folder: brings in protobuf. Pure
// functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "coordinator/plan/plan.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {

/// sysbench's column c: 10 groups of 11 digits, 119 characters.
inline constexpr std::string_view kPatternC =
    "###########-###########-###########-###########-###########-"
    "###########-###########-###########-###########-###########";

/// sysbench's column pad: 5 groups of 11 digits, 59 characters.
inline constexpr std::string_view kPatternPad =
    "###########-###########-###########-###########-###########";

/// How sysbench draws the id of a row to touch, and the values of column k. The distribution is
/// chosen here and nowhere else.
v1::Generator IdGenerator(const DatasetPlan& dataset);

v1::Generator UniformGenerator(int64_t min, int64_t max);
v1::Generator PatternGenerator(std::string_view pattern);

}  // namespace sysfleet
