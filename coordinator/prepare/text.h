// Text for people. Pure functions.
#pragma once

#include <string>
#include <vector>

namespace sysfleet {

/// One line for each run of tables, numbered from 1, whose texts are the same: "sbtest1 to sbtest3:
/// loaded". An empty text says nothing.
std::vector<std::string> LinesByTable(const std::vector<std::string>& texts);

}  // namespace sysfleet
