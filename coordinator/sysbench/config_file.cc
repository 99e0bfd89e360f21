#include "coordinator/sysbench/config_file.h"

#include <algorithm>

namespace sysfleet {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Up to a '#' that stands in no quotes, and without the quotes.
std::string ValueOf(std::string_view text) {
  std::string value;
  char quote = 0;
  for (const char c : Trimmed(text)) {
    if (quote == 0 && c == '#') break;
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      value += c;
    }
  }
  return std::string(Trimmed(value));
}

}  // namespace

std::vector<ConfigLine> ParseConfigFile(std::string_view text) {
  std::vector<ConfigLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      lines.push_back({number, ValueOf(line), "on"});
    } else {
      lines.push_back(
          {number, std::string(Trimmed(line.substr(0, equals))), ValueOf(line.substr(equals + 1))});
    }
  }
  return lines;
}

}  // namespace sysfleet
