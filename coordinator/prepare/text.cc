#include "coordinator/prepare/text.h"

#include <fmt/format.h>

#include "coordinator/workload/dialect.h"

namespace sysfleet {

std::vector<std::string> LinesByTable(const std::vector<std::string>& texts) {
  std::vector<std::string> lines;
  for (size_t first = 0; first < texts.size();) {
    size_t end = first + 1;
    while (end < texts.size() && texts[end] == texts[first]) ++end;
    const std::string first_name = TableName(static_cast<int>(first) + 1);
    const std::string last_name = TableName(static_cast<int>(end));
    if (texts[first].empty()) {
      // Nothing to say about these.
    } else if (end == first + 1) {
      lines.push_back(fmt::format("{}: {}", first_name, texts[first]));
    } else {
      lines.push_back(fmt::format("{} to {}: {}", first_name, last_name, texts[first]));
    }
    first = end;
  }
  return lines;
}

}  // namespace sysfleet
