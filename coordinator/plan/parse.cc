#include "coordinator/plan/parse.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "common/base/file.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "coordinator/plan/check.h"
#include "coordinator/plan/document.h"
#include "coordinator/plan/dump.h"
#include "coordinator/plan/encoding.h"
#include "coordinator/plan/error_list.h"
#include "coordinator/plan/expand.h"
#include "coordinator/plan/override.h"
#include "coordinator/plan/own_sections.h"
#include "coordinator/plan/section.h"
#include "coordinator/plan/sections.h"
#include "coordinator/plan/values.h"

namespace sysfleet {
namespace {

constexpr size_t kPlanBytesMax = size_t{1024} * 1024;

void ReadPlanName(Section& top, std::string_view file, std::string& name) {
  constexpr std::string_view kExpected = "letters, digits, '.', '_' and '-'";
  const Node* const node = top.Find("name");
  name = std::filesystem::path(file).stem().string();
  if (node == nullptr && !IsPlainName(name)) {
    top.AddError(
        "name", top.position(),
        fmt::format("missing, and the file's name cannot stand for it; expected {}", kExpected));
  }
  if (node == nullptr) return;
  top.Read("name", name);
  if (node->kind == NodeKind::kScalar && !IsPlainName(name) && !top.context().errors.Has("name")) {
    top.AddError("name", node->position,
                 fmt::format("expected {}, got {}", kExpected, Describe(*node)));
  }
}

Plan ReadSections(const Node& root, std::string_view file, const ReadContext& context) {
  Plan plan;
  Section top(&root, {}, "", context);
  ReadPlanName(top, file, plan.name);
  ReadAgents(top, plan);
  ReadFleet(top, plan);
  ReadDatabase(top, plan);
  ReadOwnTables(top, plan);
  ReadOwnWorkloads(top, plan);
  plan.own_yaml = DumpMembers(root, {"tables", "workloads"});
  ReadDataset(top, plan);
  ReadLoad(top, plan);
  ReadRun(top, plan);
  ReadReport(top, plan);
  top.ReportUnknown();
  return plan;
}

}  // namespace

std::string ToString(std::span<const PlanError> errors) {
  std::string text;
  for (const PlanError& error : errors) {
    text += fmt::format("{}: {}\n", error.where, error.message);
  }
  const auto count = static_cast<int64_t>(errors.size());
  return text + fmt::format("{}; nothing was started\n", Counted(count, "error"));
}

PlanOrErrors ParsePlan(std::string_view yaml, std::string_view name, std::string_view directory,
                       std::span<const std::string> overrides) {
  ErrorList errors(name, overrides);
  auto document = LoadDocument(yaml);
  if (const auto* const problem = std::get_if<DocumentError>(&document)) {
    errors.Add(problem->position, "", problem->message);
    return errors.Sorted();
  }
  Node root = std::get<Node>(std::move(document));
  if (root.kind == NodeKind::kNull) {
    errors.Add({}, "", "the plan is empty; it needs at least 'database' with its driver and nodes");
    return errors.Sorted();
  }
  if (root.kind != NodeKind::kMap) {
    errors.Add(root.position, "",
               fmt::format("expected sections such as 'database', got {}", Describe(root)));
    return errors.Sorted();
  }
  for (size_t i = 0; i < overrides.size(); ++i) {
    ApplyOverride(overrides[i], static_cast<int>(i), root, errors);
  }
  const Plan plan = ReadSections(root, name, {errors, std::string(directory)});
  CheckPlan(plan, root, errors);
  if (!errors.empty()) return errors.Sorted();
  return plan;
}

PlanOrErrors ReadPlan(const std::string& path, std::span<const std::string> overrides) {
  const absl::StatusOr<std::string> text = ReadWholeFile(path, kPlanBytesMax);
  if (!text.ok()) {
    return std::vector<PlanError>{
        {path, fmt::format("cannot read the plan: {}", Message(text.status()))}};
  }
  return ParsePlan(*text, path, std::filesystem::path(path).parent_path().string(), overrides);
}

}  // namespace sysfleet
