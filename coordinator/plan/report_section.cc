#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "coordinator/plan/sections.h"
#include "coordinator/plan/values.h"

namespace sysfleet {
namespace {

constexpr size_t kPercentilesMax = 10;

void ReadPercentiles(Section& section, std::vector<double>& percentiles) {
  const auto items = section.Items("percentiles");
  if (!items) return;
  if (items->empty() || items->size() > kPercentilesMax) {
    section.AddError(
        "percentiles", section.Find("percentiles")->position,
        fmt::format("expected 1 to {} percentiles, got {}", kPercentilesMax, items->size()));
    return;
  }
  constexpr std::string_view kExpected = "a percentile above 0 and up to 100";
  const std::string path = section.PathOf("percentiles");
  percentiles.clear();
  for (const Node* item : *items) {
    const auto text = ReadExpanded(*item, path, kExpected, section.context());
    if (!text) continue;
    const std::optional<double> percent = ParseDecimal(text->text);
    if (!percent || *percent <= 0 || *percent > 100) {
      section.AddError("percentiles", item->position,
                       fmt::format("expected {}, got {}", kExpected, Describe(*item)));
    } else if (std::find(percentiles.begin(), percentiles.end(), *percent) != percentiles.end()) {
      section.AddError("percentiles", item->position, fmt::format("{} is there twice", *percent));
    } else {
      percentiles.push_back(*percent);
    }
  }
}

bool IsFile(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// A bare file name may also be one of the figures that come with the example plans.
void ReadReference(Section& section, std::string& reference) {
  std::string text;
  section.Read("reference", text);
  if (text.empty()) return;
  const std::string& directory = section.context().directory;
  const std::string beside = FromDirectory(directory, text);
  const bool bare = text.find('/') == std::string::npos;
  const std::string shipped = FromDirectory(directory, "../reference/" + text);
  if (IsFile(beside)) {
    reference = beside;
  } else if (bare && IsFile(shipped)) {
    reference = shipped;
  } else {
    section.AddError("reference", section.Find("reference")->position,
                     bare ? fmt::format("there is no file '{}' or '{}'", beside, shipped)
                          : fmt::format("there is no file '{}'", beside));
  }
}

}  // namespace

void ReadReport(Section& top, Plan& plan) {
  Section section = top.Sub("report");
  ReadPercentiles(section, plan.report.percentiles);
  ReadReference(section, plan.report.reference);
  section.Read("directory", plan.report.directory);
  if (plan.report.directory.empty()) {
    const Node* const node = section.Find("directory");
    section.AddError("directory", node->position,
                     fmt::format("expected a folder, got {}", Describe(*node)));
  }
  section.ReportUnknown();
}

}  // namespace sysfleet
