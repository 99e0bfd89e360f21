#include "agent/database/connection.h"

#include <utility>

namespace sysfleet {

void Connection::Complete(OutcomeKind kind, int64_t rows, int64_t arrival_ns) {
  outcome_.kind = kind;
  outcome_.rows = rows;
  outcome_.arrival_ns = arrival_ns;
  Resume();
}

void Connection::Fail(OutcomeKind kind, std::string_view code, std::string_view message,
                      int64_t rows) {
  outcome_.kind = kind;
  outcome_.rows = rows;
  outcome_.code = code;
  outcome_.message = message;
  Resume();
}

void Connection::Close(std::string_view reason) {
  Disconnect();
  if (busy_) Fail(OutcomeKind::kLost, "lost", reason);
}

void Connection::Resume() {
  busy_ = false;
  // Nobody waits yet where an operation ended before it was awaited.
  if (auto waiter = std::exchange(waiter_, nullptr)) waiter.resume();
}

}  // namespace sysfleet
