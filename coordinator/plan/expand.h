// ${env:NAME} and ${file:PATH} in a plan's values. Thread-safe as long as nobody changes the
// environment.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace sysfleet {

struct ExpandedText {
  std::string text;
  /// What was put in place of references, in order.
  std::vector<std::string> substituted;
};

/// Replaces each reference; line ends at the end of a file are dropped. A relative PATH is taken
/// from `directory`. "$${" stands for a literal "${". Errors name the reference, never a value.
absl::StatusOr<ExpandedText> Expand(std::string_view text, const std::string& directory);

/// `path` as seen from here, where a plan in `directory` names it.
std::string FromDirectory(const std::string& directory, std::string_view path);

}  // namespace sysfleet
