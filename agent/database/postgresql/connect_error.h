// What a failed attempt to connect tells. libpq has it as text only.
#pragma once

#include <string>
#include <string_view>

namespace sysfleet {

struct ConnectError {
  /// The server's SQLSTATE; "lost" where the server said nothing.
  std::string code;
  /// In one line.
  std::string message;
};

/// `text` in libpq's verbose form: "connection to …: FATAL:  28P01: the message\nLOCATION:  …".
ConnectError ParseConnectError(std::string_view text);

}  // namespace sysfleet
