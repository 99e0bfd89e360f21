// A status as a message between coordinator and agent. Pure functions.
#pragma once

#include "absl/status/status.h"

namespace sysfleet {

namespace v1 {
class Error;
}

absl::Status FromMessage(const v1::Error& error);
void ToMessage(const absl::Status& status, v1::Error& error);

}  // namespace sysfleet
