// Texts as YAML. A pure function.
#pragma once

#include <string>
#include <string_view>

namespace sysfleet {

/// A text as a YAML scalar that ParsePlan reads as the same text: quoted where it must be, and not
/// taken for a reference such as ${env:NAME}.
std::string YamlScalar(std::string_view text);

}  // namespace sysfleet
