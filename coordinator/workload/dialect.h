// The data set's SQL in each family's own syntax: the schema is identical to what sysbench makes.
// Pure functions.
#pragma once

#include <string>
#include <vector>

#include "coordinator/plan/plan.h"

namespace sysfleet {

namespace v1 {
class TableData;
}

/// "sbtest7".
std::string TableName(int table);

/// CREATE TABLE, and what has to follow it before rows are loaded.
std::vector<std::string> CreateTableSql(const DatabasePlan& database, const DatasetPlan& dataset,
                                        int table);

/// CREATE INDEX k_N; empty where the plan wants none.
std::vector<std::string> CreateIndexSql(const DatasetPlan& dataset, int table);

/// Sets sequence or auto-increment counter behind the last row; empty where there is none.
std::vector<std::string> SetCounterSql(const DatabasePlan& database, const DatasetPlan& dataset,
                                       int table);

std::string DropTableSql(int table);

/// Columns and generators of a table's rows, as a chunk order carries them.
v1::TableData TableDataOf(const DatabasePlan& database, const DatasetPlan& dataset,
                          const LoadPlan& load, int table);

/// Replaces each '?' by $1, $2 … for PostgreSQL; unchanged for MySQL. The SQL holds no '?' in
/// literals.
std::string WithPlaceholders(std::string sql, Driver driver);

/// A literal in single quotes, quoted for the family.
std::string QuoteLiteral(std::string_view text, Driver driver);

}  // namespace sysfleet
