// Text of client libraries made fit for an outcome.
#pragma once

#include <string>
#include <string_view>

namespace sysfleet {

/// `text` in one line: each run of white space becomes one blank, none at the ends.
std::string OneLine(std::string_view text);

}  // namespace sysfleet
