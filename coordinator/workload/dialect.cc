#include "coordinator/workload/dialect.h"

#include <fmt/format.h>

#include "coordinator/schedule/schedule.h"
#include "coordinator/workload/generators.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

// CockroachDB's SERIAL draws from unique_rowid(), far above any loaded id: there is no sequence.
bool HasSequence(const DatabasePlan& database, const DatasetPlan& dataset) {
  return dataset.auto_inc && database.driver == Driver::kPostgresql &&
         database.flavor != Flavor::kCockroachdb;
}

std::string IdColumn(Driver driver, const DatasetPlan& dataset) {
  const bool wide = dataset.id_type == IdType::kInt64;
  if (dataset.auto_inc && driver == Driver::kPostgresql) return wide ? "id BIGSERIAL" : "id SERIAL";
  return fmt::format("id {} NOT NULL{}", wide ? "BIGINT" : "INTEGER",
                     dataset.auto_inc ? " AUTO_INCREMENT" : "");
}

std::string IdIndex(const DatasetPlan& dataset) {
  if (dataset.secondary) return "KEY xid (id)";
  return fmt::format("PRIMARY KEY (id{})", dataset.range_key_partitioning ? " ASC" : "");
}

// YugabyteDB: cuts a table of ids 1 to table_size into tablets of equal numbers of rows. A table
// with fewer rows than tablets gets fewer, because split points must increase.
std::string SplitClause(const DatasetPlan& dataset) {
  std::string points;
  int64_t last = 0;
  for (int64_t tablet = 1; tablet < dataset.num_table_splits; ++tablet) {
    const int64_t point = dataset.table_size * tablet / dataset.num_table_splits;
    if (point == last) continue;
    points += fmt::format("{}({})", points.empty() ? "" : ",", point);
    last = point;
  }
  return points.empty() ? "" : fmt::format(" SPLIT AT VALUES ({})", points);
}

void AddColumn(v1::TableData& data, const char* name, v1::ColumnType type,
               v1::Generator generator) {
  v1::Column& column = *data.add_columns();
  column.set_name(name);
  column.set_type(type);
  *column.mutable_generator() = std::move(generator);
}

}  // namespace

std::string TableName(int table) {
  return fmt::format("sbtest{}", table);
}

std::vector<std::string> CreateTableSql(const DatabasePlan& database, const DatasetPlan& dataset,
                                        int table) {
  if (dataset.schema == DatasetSchema::kBulkInsert) {
    return {fmt::format(
        "CREATE TABLE {} (id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (id))",
        TableName(table))};
  }
  std::string create = fmt::format(
      "CREATE TABLE {}({}, k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, "
      "pad CHAR(60) DEFAULT '' NOT NULL, {})",
      TableName(table), IdColumn(database.driver, dataset), IdIndex(dataset));
  if (database.driver == Driver::kMysql && !dataset.mysql_storage_engine.empty()) {
    create += fmt::format(" /*! ENGINE = {} */", dataset.mysql_storage_engine);
  }
  if (dataset.range_key_partitioning && dataset.manual_range_splitting) {
    create += SplitClause(dataset);
  }
  if (!dataset.create_table_options.empty()) create += " " + dataset.create_table_options;

  std::vector<std::string> sql = {std::move(create)};
  if (HasSequence(database, dataset) && dataset.serial_cache_size > 0) {
    sql.push_back(fmt::format("ALTER SEQUENCE {}_id_seq CACHE {}", TableName(table),
                              dataset.serial_cache_size));
  }
  return sql;
}

std::vector<std::string> CreateIndexSql(const DatasetPlan& dataset, int table) {
  if (!dataset.create_secondary) return {};
  return {fmt::format("CREATE INDEX k_{} ON {}(k)", table, TableName(table))};
}

std::vector<std::string> SetCounterSql(const DatabasePlan& database, const DatasetPlan& dataset,
                                       int table) {
  if (HasSequence(database, dataset)) {
    return {fmt::format("SELECT setval('{}_id_seq', {})", TableName(table), dataset.table_size)};
  }
  if (dataset.auto_inc && database.driver == Driver::kMysql) {
    // InnoDB has already moved its counter behind the largest id that was given, and then this
    // changes nothing; engines with a counter in each server need to be told.
    return {fmt::format("ALTER TABLE {} AUTO_INCREMENT = {}", TableName(table),
                        dataset.table_size + 1)};
  }
  return {};
}

std::string DropTableSql(int table) {
  return fmt::format("DROP TABLE IF EXISTS {}", TableName(table));
}

v1::TableData TableDataOf(const DatabasePlan& database, const DatasetPlan& dataset,
                          const LoadPlan& load, int table) {
  v1::TableData data;
  data.set_table(TableName(table));
  data.set_seed(TableSeed(dataset.seed, table));
  data.set_method(MethodOf(load.method, database.driver));
  v1::Generator row_number;
  row_number.mutable_row_number();
  AddColumn(data, "id", IdColumnType(dataset), row_number);
  AddColumn(data, "k", v1::COLUMN_TYPE_INT32, KGenerator(dataset, dataset.random));
  AddColumn(data, "c", v1::COLUMN_TYPE_TEXT, PatternGenerator(kPatternC));
  AddColumn(data, "pad", v1::COLUMN_TYPE_TEXT, PatternGenerator(kPatternPad));
  return data;
}

std::string WithPlaceholders(std::string sql, Driver driver) {
  if (driver != Driver::kPostgresql) return sql;
  std::string numbered;
  int number = 0;
  for (const char c : sql) {
    if (c == '?') {
      numbered += fmt::format("${}", ++number);
    } else {
      numbered += c;
    }
  }
  return numbered;
}

std::string QuoteLiteral(std::string_view text, Driver driver) {
  std::string quoted;
  bool backslashes = false;
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += c;
    quoted += c;
    backslashes |= c == '\\';
  }
  // PostgreSQL takes a backslash as an escape only in an E'' literal, MySQL in any, unless its
  // sql_mode says NO_BACKSLASH_ESCAPES.
  const bool escape_prefix = backslashes && driver == Driver::kPostgresql;
  return fmt::format("{}'{}'", escape_prefix ? "E" : "", quoted);
}

}  // namespace sysfleet
