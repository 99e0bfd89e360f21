// sysbench's config files: lines "name = value", values with or without quotes, comments after '#'.
// A pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sysfleet {

struct ConfigLine {
  int number = 0;  // from 1
  std::string name;
  std::string value;
};

/// A line without '=' is a flag that is on.
std::vector<ConfigLine> ParseConfigFile(std::string_view text);

}  // namespace sysfleet
