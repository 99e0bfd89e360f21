// Generators that rows and statements share. Internal to this folder: brings in protobuf. Pure
// functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "coordinator/plan/plan.h"
#include "sysfleet/v1/agent.pb.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {

/// sysbench's column c: 10 groups of 11 digits, 119 characters.
inline constexpr std::string_view kPatternC =
    "###########-###########-###########-###########-###########-"
    "###########-###########-###########-###########-###########";

/// sysbench's column pad: 5 groups of 11 digits, 59 characters.
inline constexpr std::string_view kPatternPad =
    "###########-###########-###########-###########-###########";

/// The greatest value of column k, an INTEGER whatever the ids are.
int64_t GreatestK(const DatasetPlan& dataset);

/// Integers from min to max, distributed as rand_type says.
v1::Generator RandomGenerator(const RandomOptions& random, int64_t min, int64_t max);

/// How sysbench draws the id of a row to touch, and the values of column k.
v1::Generator IdGenerator(const DatasetPlan& dataset, const RandomOptions& random);
v1::Generator KGenerator(const DatasetPlan& dataset, const RandomOptions& random);

v1::Generator UniformGenerator(int64_t min, int64_t max);
v1::Generator PatternGenerator(std::string_view pattern);

/// How rows are loaded where a plan leaves it open, too.
v1::LoadMethod MethodOf(LoadMethod method, Driver driver);

/// The type of column id.
v1::ColumnType IdColumnType(const DatasetPlan& dataset);

}  // namespace sysfleet
