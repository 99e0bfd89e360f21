// Text or not: the first thing that a text file in UTF-8 would not hold. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "coordinator/plan/document.h"

namespace sysfleet {

/// The first NUL byte, or the first byte that is not UTF-8; nothing where all is text.
std::optional<DocumentError> FindBinary(std::string_view text);

/// For messages: control characters become '?', long texts are cut to about 60 bytes.
std::string ForMessage(std::string_view text);

}  // namespace sysfleet
