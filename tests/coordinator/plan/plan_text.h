// Plans as short texts, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "coordinator/plan/parse.h"

namespace sysfleet {

/// The least that a plan needs, in its first line.
inline constexpr std::string_view kMysql = "database: {driver: mysql, nodes: db-1}\n";
inline constexpr std::string_view kPostgresql = "database: {driver: postgresql, nodes: pg-1}\n";
inline constexpr std::string_view kYugabytedb =
    "database: {driver: postgresql, flavor: yugabytedb, nodes: yb-1}\n";

inline PlanOrErrors ParseText(std::string_view text,
                              const std::vector<std::string>& overrides = {}) {
  return ParsePlan(text, "plan.yaml", "", overrides);
}

/// The plan of a text that must be right.
inline Plan PlanOf(std::string_view text, const std::vector<std::string>& overrides = {}) {
  PlanOrErrors result = ParseText(text, overrides);
  if (const auto* errors = std::get_if<std::vector<PlanError>>(&result)) {
    ADD_FAILURE() << text << "\n" << ToString(*errors);
    return {};
  }
  return std::get<Plan>(std::move(result));
}

/// "where: message" of each error, a line each.
inline std::string ErrorsOf(const PlanOrErrors& result) {
  std::string text;
  if (const auto* errors = std::get_if<std::vector<PlanError>>(&result)) {
    for (const PlanError& error : *errors) text += error.where + ": " + error.message + "\n";
  }
  return text;
}

}  // namespace sysfleet
