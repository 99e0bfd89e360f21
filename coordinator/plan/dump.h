// A part of a plan's tree as YAML again, with its references unresolved. A pure function.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "coordinator/plan/document.h"

namespace sysfleet {

/// The members of `map` with these keys, those that are there: a line each.
std::string DumpMembers(const Node& map, std::initializer_list<std::string_view> keys);

}  // namespace sysfleet
