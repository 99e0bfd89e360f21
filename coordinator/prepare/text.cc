#include "coordinator/prepare/text.h"

#include <fmt/format.h>

#include "coordinator/workload/dialect.h"

namespace sysfleet {

std::string Grouped(int64_t number) {
  std::string text = std::to_string(number);
  const int64_t digits_begin = number < 0 ? 1 : 0;
  for (int64_t place = static_cast<int64_t>(text.size()) - 3; place > digits_begin; place -= 3) {
    text.insert(static_cast<size_t>(place), 1, ',');
  }
  return text;
}

std::string Counted(int64_t number, const std::string& noun) {
  return fmt::format("{} {}{}", Grouped(number), noun, number == 1 ? "" : "s");
}

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
