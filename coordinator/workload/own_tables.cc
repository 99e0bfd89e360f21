#include "coordinator/workload/own_tables.h"

#include <fmt/format.h>

#include <map>

#include "coordinator/schedule/schedule.h"
#include "coordinator/workload/generators.h"
#include "coordinator/workload/own_generator.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {

std::string CreateOwnTableSql(const OwnTable& table) {
  std::string sql = fmt::format("CREATE TABLE {}(", table.name);
  for (const OwnColumn& column : table.columns) {
    sql += fmt::format("{} {} NOT NULL, ", column.name, column.type);
  }
  if (table.primary_key.empty()) {
    sql.resize(sql.size() - 2);
  } else {
    sql += fmt::format("PRIMARY KEY ({})", fmt::join(table.primary_key, ", "));
  }
  return sql + ")";
}

std::vector<std::string> CreateOwnIndexesSql(const OwnTable& table) {
  std::vector<std::string> sql;
  for (const std::vector<std::string>& index : table.indexes) {
    sql.push_back(fmt::format("CREATE INDEX {}_{} ON {} ({})", table.name, fmt::join(index, "_"),
                              table.name, fmt::join(index, ", ")));
  }
  return sql;
}

v1::TableData OwnTableData(const Plan& plan, const OwnTable& table, int number) {
  v1::TableData data;
  data.set_table(table.name);
  data.set_seed(TableSeed(plan.dataset.seed, number));
  data.set_method(MethodOf(plan.load.method, plan.database.driver));
  std::map<std::string, uint32_t> places;
  for (const OwnColumn& column : table.columns) {
    v1::Column& message = *data.add_columns();
    message.set_name(column.name);
    message.set_type(column.generator.is_text() ? v1::COLUMN_TYPE_TEXT : v1::COLUMN_TYPE_INT64);
    *message.mutable_generator() =
        ToMessage(column.generator, [&](const std::string& name) { return places.at(name); });
    places.emplace(column.name, static_cast<uint32_t>(places.size()));
  }
  return data;
}

}  // namespace sysfleet
