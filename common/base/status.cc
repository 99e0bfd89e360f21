#include "common/base/status.h"

#include <fmt/format.h>

namespace sysfleet {

std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  return {status.code(), fmt::format("{}: {}", context, Message(status))};
}

}  // namespace sysfleet
