// Small helpers around absl::Status. Debian builds Abseil with a string_view type of its own;
// messages cross that border here.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace sysfleet {

/// Adds context, outermost first: "agent a:1: node n:2: wrong password". OK stays OK.
absl::Status Annotate(const absl::Status& status, std::string_view context);

/// The message alone.
std::string Message(const absl::Status& status);

}  // namespace sysfleet

/// Returns from the calling function with a status that is not OK.
#define SYSFLEET_RETURN_IF_ERROR(expression)                                \
  do {                                                                      \
    if (absl::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)
