// Reading what a server answered. Pure functions; INTERNAL for what cannot be understood.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace sysfleet {

namespace v1 {
class TaskDone;
}

absl::StatusOr<int64_t> ToInteger(std::string_view text);

/// Every row has this many fields.
absl::Status CheckWidth(const v1::TaskDone& done, int fields);

}  // namespace sysfleet
