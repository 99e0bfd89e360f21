// "run.time=5s" from the command line, laid over a plan's tree. Pure functions.
#pragma once

#include <string_view>

#include "coordinator/plan/document.h"
#include "coordinator/plan/error_list.h"

namespace sysfleet {

/// Replaces or adds the value that `text` names by its dotted key. Its value is YAML; nothing
/// behind the '=' is an empty text. `index` is the override's place in the list of overrides.
/// `root` is a map or null.
void ApplyOverride(std::string_view text, int index, Node& root, ErrorList& errors);

}  // namespace sysfleet
