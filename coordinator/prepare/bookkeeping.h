// What is recorded in the database about a data set: a row of sysfleet_dataset for each table, and
// one of sysfleet_chunk for each chunk of rows while a table is being loaded. SQL that both
// families understand. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/plan/plan.h"
#include "coordinator/prepare/row_ranges.h"

namespace sysfleet {

enum class LoadState : uint8_t {
  kCreating,  // no row has been loaded yet, and the schema may be incomplete
  kLoading,
  kComplete
};

std::string_view ToString(LoadState state);
std::optional<LoadState> ParseLoadState(std::string_view text);

/// Both tables, where they do not exist.
std::vector<std::string> CreateRecordsSql();
std::vector<std::string> DropRecordsSql();

/// Rows: table_name, spec, state.
std::string SelectDatasetsSql();
std::string CountDatasetsSql();

std::string InsertDatasetSql(const std::string& table, std::string_view spec, LoadState state,
                             Driver driver);
std::string SetStateSql(const std::string& table, LoadState state);

/// Forgets a table and its chunks.
std::vector<std::string> ForgetTableSql(const std::string& table);
std::string ForgetChunksSql(const std::string& table);

/// Fails on the primary key where these rows are recorded already.
std::string InsertChunkSql(const std::string& table, const RowRange& rows);
/// Rows: first_row, last_row.
std::string SelectChunksSql(const std::string& table);
/// Returns a row where exactly this chunk is recorded.
std::string FindChunkSql(const std::string& table, const RowRange& rows);

}  // namespace sysfleet
