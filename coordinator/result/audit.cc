#include "coordinator/result/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/base/text.h"

namespace sysfleet {
namespace {

std::string Disagreement(std::string_view table, std::string_view what,
                         const AuditedFigure& figure) {
  const std::string expected = figure.expected_min == figure.expected_max
                                   ? Grouped(figure.expected_min)
                                   : fmt::format("between {} and {}", Grouped(figure.expected_min),
                                                 Grouped(figure.expected_max));
  return fmt::format("{}: {} {}; from {}, confirmed changes lead to {}", table, what,
                     Grouped(figure.after), Grouped(figure.before), expected);
}

std::string Disagreement(const TableAudit& table) {
  return table.rows.agrees() ? Disagreement(table.table, "the sum of k is", *table.k_sum)
                             : Disagreement(table.table, "its number of rows is", table.rows);
}

}  // namespace

bool AuditResult::agrees() const {
  return std::all_of(tables.begin(), tables.end(),
                     [](const TableAudit& table) { return table.agrees(); });
}

std::string Describe(const AuditResult& audit) {
  const auto wrong = std::find_if(audit.tables.begin(), audit.tables.end(),
                                  [](const TableAudit& table) { return !table.agrees(); });
  if (wrong != audit.tables.end()) {
    const auto others = std::count_if(wrong + 1, audit.tables.end(),
                                      [](const TableAudit& table) { return !table.agrees(); });
    return Disagreement(*wrong) +
           (others > 0 ? fmt::format("; {} more", Counted(others, "table")) : "");
  }
  TableChanges sums;
  for (const TableAudit& table : audit.tables) {
    sums.increments += table.confirmed.increments;
    sums.inserted += table.confirmed.inserted;
    sums.deleted += table.confirmed.deleted;
  }
  const bool is_k_compared = std::all_of(audit.tables.begin(), audit.tables.end(),
                                         [](const TableAudit& table) { return table.k_sum; });
  return fmt::format(
      "{} {} what was confirmed: {} inserted, {} deleted, k raised {}{}",
      Counted(static_cast<int64_t>(audit.tables.size()), "table"),
      audit.tables.size() == 1 ? "holds" : "hold",
      Counted(static_cast<int64_t>(sums.inserted), "row"),
      Grouped(static_cast<int64_t>(sums.deleted)),
      Counted(static_cast<int64_t>(sums.increments), "time"),
      is_k_compared || sums.increments == 0 ? "" : " (not comparable where rows come and go)");
}

}  // namespace sysfleet
