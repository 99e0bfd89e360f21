// What a database holds of a data set before anything is done: the questions in SQL, and their
// answers put together table by table. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "coordinator/plan/plan.h"
#include "coordinator/prepare/bookkeeping.h"
#include "coordinator/prepare/row_ranges.h"

namespace sysfleet {

namespace v1 {
class TaskDone;
}

struct TableRecord {
  std::string spec;
  LoadState state = LoadState::kCreating;
};

struct IdCount {
  int64_t rows = 0;
  int64_t min = 0;
  int64_t max = 0;
};

/// In the tables' order.
std::span<const std::string_view> PlannedColumns(const DatasetPlan& dataset);

/// One table as it was found.
struct FoundTable {
  /// In the table's order; empty where there is no such table.
  std::vector<std::string> columns;
  /// The server gives ids by itself.
  bool auto_inc = false;
  /// The secondary index k_N is there and usable.
  bool secondary = false;
  std::optional<TableRecord> record;
  /// Where it was worth counting.
  std::optional<IdCount> count;
  /// Recorded as loaded.
  std::vector<RowRange> chunks;

  bool exists() const { return !columns.empty(); }
};

/// The answers may come in any order. A row about a table that the plan does not have is skipped;
/// INTERNAL for an answer that cannot be understood.
class Survey {
 public:
  explicit Survey(const Plan& plan);

  std::string ColumnsSql() const;
  absl::Status OnColumns(const v1::TaskDone& done);

  std::string IndexesSql() const;
  absl::Status OnIndexes(const v1::TaskDone& done);

  absl::Status OnRecords(const v1::TaskDone& done);

  static std::string CountSql(int table);
  absl::Status OnCount(int table, const v1::TaskDone& done);
  absl::Status OnChunks(int table, const v1::TaskDone& done);

  /// Tables are numbered from 1.
  const FoundTable& table(int number) const { return tables_[static_cast<size_t>(number) - 1]; }

 private:
  FoundTable* Find(std::string_view name);

  const Driver driver_;
  std::vector<FoundTable> tables_;
};

/// "PostgreSQL 15.18" or "MariaDB 10.11.14" from the answer to SELECT version().
std::string ShortVersion(std::string_view version, Driver driver);

}  // namespace sysfleet
