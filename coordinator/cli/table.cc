#include "coordinator/cli/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace sysfleet {

std::string Render(const Table& table, const std::set<std::string>& left) {
  std::vector<size_t> widths(table.front().size());
  for (const auto& row : table) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : table) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += left.contains(table.front()[i]) ? fmt::format("  {:<{}}", row[i], widths[i])
                                              : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace sysfleet
