// Aligned columns for a terminal. A pure function.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace sysfleet {

/// Rows of equal length, the first is the head.
using Table = std::vector<std::vector<std::string>>;

/// Numbers to the right; columns whose head is in `left` to the left. Each line is indented by two
/// spaces and ends with a newline. Bytes are columns: hosts are ASCII, and another label only moves
/// its own line.
std::string Render(const Table& table, const std::set<std::string>& left);

}  // namespace sysfleet
