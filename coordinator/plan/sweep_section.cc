// The part of a plan's section run that says how its cells follow one another.
#include "coordinator/plan/sweep_section.h"

#include <fmt/format.h>

#include <utility>

#include "common/base/status.h"
#include "coordinator/plan/names.h"
#include "coordinator/plan/values.h"

namespace sysfleet {
namespace {

constexpr int kRepeatMax = 1'000;

void ReadSearch(Section& run_section, RunPlan& run) {
  const Node* const node = run_section.Find("search");
  if (node == nullptr) return;
  Section section = run_section.Sub("search");
  SearchPlan search;
  search.confirm_time = 2 * run.time;
  section.Read("vary", search.vary, SearchDimensionNames());
  section.Read("from", search.from, {1, 1'000'000'000});
  section.Read("to", search.to, {1, 1'000'000'000});
  section.Read("confirm_time", search.confirm_time, 1);
  std::string limit;
  section.Read("limit", limit);
  const Node* const limit_node = section.Find("limit");
  if (limit_node == nullptr) {
    section.AddError("limit", section.position(),
                     "missing; as in \"p99 < 20ms and errors < 0.1%\"");
  } else if (!limit.empty()) {
    auto parsed = ParseLimit(limit);
    if (parsed.ok()) {
      search.limit = *std::move(parsed);
    } else {
      section.AddError("limit", limit_node->position, Message(parsed.status()));
    }
  }
  if (search.from > search.to) {
    section.AddError("to", section.position(),
                     fmt::format("{} is below from, {}", search.to, search.from));
  }
  section.ReportUnknown();
  run.search = std::move(search);
}

}  // namespace

void ReadWarmup(Section& section, RunPlan& run) {
  const Node* const node = section.Find("warmup_time");
  if (node == nullptr || node->kind != NodeKind::kMap) {
    section.Read("warmup_time", run.warmup_time, 0);
    return;
  }
  Section bounds = section.Sub("warmup_time");
  std::chrono::seconds least{0};
  bounds.Read("min", least, 0);
  bounds.Read("max", run.warmup_time, 1);
  if (bounds.Find("max") == nullptr) {
    bounds.AddError("max", bounds.position(), "missing; the warm-up must end some time");
  } else if (least > run.warmup_time) {
    bounds.AddError("min", bounds.position(), "it is above max");
  }
  bounds.ReportUnknown();
  run.warmup_min = least;
}

void ReadStatements(Section& section, std::string_view key, std::vector<std::string>& statements,
                    std::vector<std::string>& secrets) {
  const auto items = section.Items(key);
  if (!items) return;
  for (const Node* item : *items) {
    auto expanded = ReadExpanded(*item, section.PathOf(key), "an SQL statement", section.context());
    if (!expanded) continue;
    statements.push_back(std::move(expanded->text));
    for (std::string& secret : expanded->substituted) {
      if (!secret.empty()) secrets.push_back(std::move(secret));
    }
  }
}

void ReadSweep(Section& section, Plan& plan) {
  RunPlan& run = plan.run;
  section.Read("repeat", run.repeat, {1, kRepeatMax});
  section.Read("order", run.order, SweepOrderNames());
  section.Read("pause", run.pause, 0);
  ReadStatements(section, "before_cell", run.before_cell, plan.database.secrets);
  ReadStatements(section, "after_cell", run.after_cell, plan.database.secrets);
  ReadSearch(section, run);
}

}  // namespace sysfleet
