#include "coordinator/prepare/survey.h"

#include <fmt/format.h>

#include <array>

#include "common/base/status.h"
#include "coordinator/prepare/answer.h"
#include "coordinator/workload/dialect.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

constexpr std::string_view kPrefix = "sbtest";

}  // namespace

std::span<const std::string_view> PlannedColumns(const DatasetPlan& dataset) {
  static constexpr std::array<std::string_view, 4> kSbtest = {"id", "k", "c", "pad"};
  if (dataset.schema == DatasetSchema::kBulkInsert) return std::span(kSbtest).first(2);
  return kSbtest;
}

Survey::Survey(const Plan& plan)
    : driver_(plan.database.driver), tables_(static_cast<size_t>(plan.dataset.tables)) {}

std::string Survey::ColumnsSql() const {
  if (driver_ == Driver::kMysql) {
    return "SELECT table_name, column_name, CASE WHEN extra LIKE '%auto_increment%' THEN 1 ELSE 0 "
           "END FROM information_schema.columns WHERE table_schema = database() AND table_name "
           "LIKE 'sbtest%' ORDER BY table_name, ordinal_position";
  }
  return "SELECT table_name, column_name, CASE WHEN column_default IS NULL THEN 0 ELSE 1 END FROM "
         "information_schema.columns WHERE table_schema = current_schema() AND table_name LIKE "
         "'sbtest%' ORDER BY table_name, ordinal_position";
}

absl::Status Survey::OnColumns(const v1::TaskDone& done) {
  SYSFLEET_RETURN_IF_ERROR(CheckWidth(done, 3));
  for (const v1::Row& row : done.rows()) {
    FoundTable* const table = Find(row.fields(0).text());
    if (table == nullptr) continue;
    const std::string& column = row.fields(1).text();
    table->columns.push_back(column);
    if (column == "id") table->auto_inc = row.fields(2).text() == "1";
  }
  return absl::OkStatus();
}

std::string Survey::IndexesSql() const {
  if (driver_ == Driver::kMysql) {
    return "SELECT DISTINCT table_name, index_name FROM information_schema.statistics WHERE "
           "table_schema = database() AND table_name LIKE 'sbtest%'";
  }
  // An index whose concurrent building failed is there, but not valid.
  return "SELECT t.relname, i.relname FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class t ON "
         "t.oid = x.indrelid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid JOIN "
         "pg_catalog.pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = current_schema() "
         "AND t.relname LIKE 'sbtest%' AND x.indisvalid";
}

absl::Status Survey::OnIndexes(const v1::TaskDone& done) {
  SYSFLEET_RETURN_IF_ERROR(CheckWidth(done, 2));
  for (const v1::Row& row : done.rows()) {
    const std::string_view name = row.fields(0).text();
    FoundTable* const table = Find(name);
    if (table == nullptr) continue;
    if (row.fields(1).text() == fmt::format("k_{}", name.substr(kPrefix.size()))) {
      table->secondary = true;
    }
  }
  return absl::OkStatus();
}

absl::Status Survey::OnRecords(const v1::TaskDone& done) {
  SYSFLEET_RETURN_IF_ERROR(CheckWidth(done, 3));
  for (const v1::Row& row : done.rows()) {
    FoundTable* const table = Find(row.fields(0).text());
    if (table == nullptr) continue;
    const std::optional<LoadState> state = ParseLoadState(row.fields(2).text());
    if (!state) {
      return absl::FailedPreconditionError(
          fmt::format("table sysfleet_dataset says '{}' about {}, which this version does not know",
                      row.fields(2).text(), row.fields(0).text()));
    }
    table->record = TableRecord{row.fields(1).text(), *state};
  }
  return absl::OkStatus();
}

std::string Survey::CountSql(int table) {
  return fmt::format("SELECT count(*), min(id), max(id) FROM {}", TableName(table));
}

absl::Status Survey::OnCount(int table, const v1::TaskDone& done) {
  SYSFLEET_RETURN_IF_ERROR(CheckWidth(done, 3));
  if (done.rows_size() != 1) return absl::InternalError("the server did not answer a count");
  IdCount count;
  int64_t* const values[] = {&count.rows, &count.min, &count.max};
  for (int i = 0; i < 3; ++i) {
    const v1::Field& field = done.rows(0).fields(i);
    if (!field.has_text()) continue;  // Minimum and maximum of no rows.
    const absl::StatusOr<int64_t> value = ToInteger(field.text());
    if (!value.ok()) return value.status();
    *values[i] = *value;
  }
  tables_[static_cast<size_t>(table) - 1].count = count;
  return absl::OkStatus();
}

absl::Status Survey::OnChunks(int table, const v1::TaskDone& done) {
  SYSFLEET_RETURN_IF_ERROR(CheckWidth(done, 2));
  std::vector<RowRange>& chunks = tables_[static_cast<size_t>(table) - 1].chunks;
  for (const v1::Row& row : done.rows()) {
    const absl::StatusOr<int64_t> first = ToInteger(row.fields(0).text());
    if (!first.ok()) return first.status();
    const absl::StatusOr<int64_t> last = ToInteger(row.fields(1).text());
    if (!last.ok()) return last.status();
    chunks.push_back({*first, *last});
  }
  return absl::OkStatus();
}

FoundTable* Survey::Find(std::string_view name) {
  if (!name.starts_with(kPrefix)) return nullptr;
  const absl::StatusOr<int64_t> number = ToInteger(name.substr(kPrefix.size()));
  if (!number.ok() || *number < 1 || *number > static_cast<int64_t>(tables_.size()) ||
      TableName(static_cast<int>(*number)) != name) {
    return nullptr;
  }
  return &tables_[static_cast<size_t>(*number) - 1];
}

std::string ShortVersion(std::string_view version, Driver driver) {
  if (driver == Driver::kPostgresql) {
    for (const std::string_view end : {" (", " on "})
      version = version.substr(0, version.find(end));
    return std::string(version);
  }
  const size_t mariadb = version.find("-MariaDB");
  if (mariadb != std::string_view::npos) {
    return fmt::format("MariaDB {}", version.substr(0, mariadb));
  }
  return fmt::format("MySQL {}", version);
}

}  // namespace sysfleet
