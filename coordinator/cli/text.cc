#include "coordinator/cli/text.h"

#include <fmt/format.h>

#include "common/base/text.h"

namespace sysfleet {
namespace {

// Connecting, preparing statements and collecting the last window, in about.
constexpr std::chrono::seconds kCellOverhead{2};

}  // namespace

std::string RunHead(const Plan& plan, const Schedule& schedule) {
  if (plan.run.search) {
    const auto workloads = static_cast<int64_t>(plan.run.workloads.size());
    return fmt::format("{}  {} of {}", plan.name,
                       workloads == 1 ? "a search" : fmt::format("{} searches", workloads),
                       ToString(plan.run.search->limit));
  }
  const auto cells = static_cast<int64_t>(schedule.cells.size());
  const std::string head = fmt::format("{}  {}", plan.name, Counted(cells, "cell"));
  if (plan.run.time.count() == 0) {
    return fmt::format("{}, each as long as its {} take", head, Counted(plan.run.events, "event"));
  }
  return fmt::format("{}, {} {}", head, plan.run.events > 0 ? "at most" : "about",
                     ForPeople(schedule.duration + cells * kCellOverhead));
}

}  // namespace sysfleet
