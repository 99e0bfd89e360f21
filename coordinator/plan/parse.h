// YAML to Plan. Every mistake of a file is found in one pass and told with file, line and column,
// what was expected, and for an unknown key the nearest known one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/plan/plan.h"

namespace sysfleet {

struct PlanError {
  std::string where;    // "plan.yaml:12:5", or "--set run.time=x"
  std::string message;  // "run.thread: unknown key; did you mean 'threads'?"
};

/// "plan.yaml:12:5: run.thread: …", one line an error, then "2 errors; nothing was started".
std::string ToString(std::span<const PlanError> errors);

using PlanOrErrors = std::variant<Plan, std::vector<PlanError>>;

/// `name` stands in the errors' places. `overrides` are "run.time=5s": a dotted key and a YAML
/// value, applied over the file. ${env:NAME} and ${file:PATH} are replaced in values of every
/// string; a relative PATH, like report.reference, is taken from `directory` (the plan's own).
PlanOrErrors ParsePlan(std::string_view yaml, std::string_view name, std::string_view directory,
                       std::span<const std::string> overrides);

/// Reads the file (at most 1 MiB) and parses it.
PlanOrErrors ReadPlan(const std::string& path, std::span<const std::string> overrides);

/// The plan with every default filled in, as YAML that ParsePlan reads again; the password is
/// replaced by "***".
std::string ToYaml(const Plan& plan);

}  // namespace sysfleet
