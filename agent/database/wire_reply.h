// What a server's reply to a statement has told, as read from the wire by the drivers' direct
// paths.
#pragma once

#include <cstdint>
#include <string>

#include "agent/database/connection.h"

namespace sysfleet {

enum class ReplyState : uint8_t {
  kPartial,  // more must come
  kWhole,
  kBroken,  // out of step with the server: the connection cannot be used any more
};

struct WireReply {
  OutcomeKind kind = OutcomeKind::kNothing;  // kError where the server refused the statement
  int64_t rows = 0;
  /// Of the first error; also why the reply is broken.
  std::string error_code;
  std::string error_message;
  /// The error ends the connection.
  bool fatal = false;
};

}  // namespace sysfleet
