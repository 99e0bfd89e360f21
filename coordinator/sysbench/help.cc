#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/version.h"
#include "coordinator/sysbench/arguments.h"
#include "coordinator/sysbench/options.h"

namespace sysfleet {
namespace {

std::string_view Placeholder(OptionType type) {
  switch (type) {
    case OptionType::kBool:
      return "[=on|off]";
    case OptionType::kInt:
    case OptionType::kDouble:
      return "=N";
    case OptionType::kSize:
      return "=SIZE";
    case OptionType::kString:
      return "=STRING";
    case OptionType::kList:
      return "=[LIST,...]";
    case OptionType::kFile:
      return "=FILENAME";
  }
  return "";
}

std::string Lines(const std::vector<OptionSpec>& specs) {
  std::vector<std::string> heads;
  size_t width = 0;
  for (const OptionSpec& spec : specs) {
    heads.push_back(fmt::format("--{}{}", spec.name, Placeholder(spec.type)));
    width = std::max(width, heads.back().size());
  }
  std::string text;
  for (size_t i = 0; i < specs.size(); ++i) {
    text += fmt::format("  {:<{}} {}", heads[i], width, specs[i].meaning);
    text += specs[i].initial.empty() ? "\n" : fmt::format(" [{}]\n", specs[i].initial);
  }
  return text;
}

std::vector<OptionSpec> Of(OptionGroup group) {
  std::vector<OptionSpec> specs;
  for (const OptionSpec& spec : SysbenchOptionSpecs()) {
    if (spec.group == group) specs.push_back(spec);
  }
  return specs;
}

}  // namespace

std::string SysbenchBanner() {
  return fmt::format("sysbench 1.0.20 (using sysfleet {})\n\n", kVersion);
}

std::string SysbenchUsage() {
  std::string text =
      "Usage:\n  sysbench [options]... [testname] [command]\n\n"
      "Commands: prepare create load warmup run cleanup help\n\n";
  using enum OptionGroup;
  for (const OptionGroup group :
       {kGeneral, kRandom, kLog, kDatabase, kMysql, kPgsql, kOltp, kYugabytedb, kOurs}) {
    text += fmt::format("{}:\n{}\n", ToString(group), Lines(Of(group)));
  }
  return text;
}

std::string SysbenchTestHelp(std::string_view test) {
  std::vector<OptionSpec> specs = Of(OptionGroup::kOltp);
  for (const OptionSpec& spec : Of(OptionGroup::kYugabytedb)) specs.push_back(spec);
  std::sort(specs.begin(), specs.end(),
            [](const OptionSpec& a, const OptionSpec& b) { return a.name < b.name; });
  return fmt::format("{} options:\n{}\n", test, Lines(specs));
}

}  // namespace sysfleet
