#include "common/rpc/error.h"

#include "common/base/status.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {

absl::Status FromMessage(const v1::Error& error) {
  return {static_cast<absl::StatusCode>(error.code()), error.message()};
}

void ToMessage(const absl::Status& status, v1::Error& error) {
  error.set_code(static_cast<int>(status.code()));
  error.set_message(Message(status));
}

}  // namespace sysfleet
