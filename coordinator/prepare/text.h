// Text for people. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sysfleet {

/// "1,234,567".
std::string Grouped(int64_t number);

/// "1 row", "2,000 rows".
std::string Counted(int64_t number, const std::string& noun);

/// One line for each run of tables, numbered from 1, whose texts are the same: "sbtest1 to sbtest3:
/// loaded". An empty text says nothing.
std::vector<std::string> LinesByTable(const std::vector<std::string>& texts);

}  // namespace sysfleet
