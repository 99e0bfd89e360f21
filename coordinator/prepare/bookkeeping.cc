#include "coordinator/prepare/bookkeeping.h"

#include <fmt/format.h>

#include "coordinator/workload/dialect.h"

namespace sysfleet {

std::string_view ToString(LoadState state) {
  switch (state) {
    case LoadState::kCreating:
      return "creating";
    case LoadState::kLoading:
      return "loading";
    case LoadState::kComplete:
      return "complete";
  }
  return "";
}

std::optional<LoadState> ParseLoadState(std::string_view text) {
  for (const LoadState state : {LoadState::kCreating, LoadState::kLoading, LoadState::kComplete}) {
    if (text == ToString(state)) return state;
  }
  return std::nullopt;
}

std::vector<std::string> CreateRecordsSql() {
  return {
      "CREATE TABLE IF NOT EXISTS sysfleet_dataset (table_name VARCHAR(64) NOT NULL, spec TEXT NOT "
      "NULL, state VARCHAR(16) NOT NULL, PRIMARY KEY (table_name))",
      "CREATE TABLE IF NOT EXISTS sysfleet_chunk (table_name VARCHAR(64) NOT NULL, first_row "
      "BIGINT "
      "NOT NULL, last_row BIGINT NOT NULL, PRIMARY KEY (table_name, first_row))"};
}

std::vector<std::string> DropRecordsSql() {
  return {"DROP TABLE sysfleet_chunk", "DROP TABLE sysfleet_dataset"};
}

std::string SelectDatasetsSql() {
  return "SELECT table_name, spec, state FROM sysfleet_dataset";
}

std::string CountDatasetsSql() {
  return "SELECT count(*) FROM sysfleet_dataset";
}

std::string InsertDatasetSql(const std::string& table, std::string_view spec, LoadState state,
                             Driver driver) {
  return fmt::format(
      "INSERT INTO sysfleet_dataset (table_name, spec, state) VALUES ('{}', {}, '{}')", table,
      QuoteLiteral(spec, driver), ToString(state));
}

std::string SetStateSql(const std::string& table, LoadState state) {
  return fmt::format("UPDATE sysfleet_dataset SET state = '{}' WHERE table_name = '{}'",
                     ToString(state), table);
}

std::vector<std::string> ForgetTableSql(const std::string& table) {
  return {ForgetChunksSql(table),
          fmt::format("DELETE FROM sysfleet_dataset WHERE table_name = '{}'", table)};
}

std::string ForgetChunksSql(const std::string& table) {
  return fmt::format("DELETE FROM sysfleet_chunk WHERE table_name = '{}'", table);
}

std::string InsertChunkSql(const std::string& table, const RowRange& rows) {
  return fmt::format(
      "INSERT INTO sysfleet_chunk (table_name, first_row, last_row) VALUES ('{}', {}, {})", table,
      rows.first, rows.last);
}

std::string SelectChunksSql(const std::string& table) {
  return fmt::format(
      "SELECT first_row, last_row FROM sysfleet_chunk WHERE table_name = '{}' ORDER BY first_row",
      table);
}

std::string FindChunkSql(const std::string& table, const RowRange& rows) {
  return fmt::format(
      "SELECT first_row, last_row FROM sysfleet_chunk WHERE table_name = '{}' AND first_row = {} "
      "AND last_row = {}",
      table, rows.first, rows.last);
}

}  // namespace sysfleet
