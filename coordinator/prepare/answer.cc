#include "coordinator/prepare/answer.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {

absl::StatusOr<int64_t> ToInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return absl::InternalError(fmt::format("expected a number from the server, got '{}'", text));
  }
  return value;
}

absl::Status CheckWidth(const v1::TaskDone& done, int fields) {
  for (const v1::Row& row : done.rows()) {
    if (row.fields_size() != fields) {
      return absl::InternalError(
          fmt::format("expected {} columns from the server, got {}", fields, row.fields_size()));
    }
  }
  return absl::OkStatus();
}

}  // namespace sysfleet
