// Workloads for tests of the engine.
#pragma once

#include <string>

#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {

inline uint32_t AddUniform(v1::Workload& workload, const std::string& name, int64_t min,
                           int64_t max) {
  v1::Variable& variable = *workload.add_variables();
  variable.set_name(name);
  variable.mutable_generator()->mutable_uniform()->set_min(min);
  variable.mutable_generator()->mutable_uniform()->set_max(max);
  return static_cast<uint32_t>(workload.variables_size() - 1);
}

inline uint32_t AddStatement(v1::Workload& workload, const std::string& name,
                             const std::string& sql) {
  v1::Statement& statement = *workload.add_statements();
  statement.set_name(name);
  statement.set_sql(sql);
  return static_cast<uint32_t>(workload.statements_size() - 1);
}

/// BEGIN, three selects from a random one of two tables, COMMIT.
inline v1::Workload SmallWorkload() {
  v1::Workload workload;
  workload.set_name("small");
  workload.set_tables(2);
  const uint32_t table = AddUniform(workload, "table", 1, 2);
  const uint32_t id = AddUniform(workload, "id", 1, 100);
  const uint32_t begin = AddStatement(workload, "begin", "BEGIN");
  const uint32_t select = AddStatement(workload, "select", "SELECT c FROM t{table} WHERE id=$1");
  const uint32_t commit = AddStatement(workload, "commit", "COMMIT");
  v1::Statement& statement = *workload.mutable_statements(static_cast<int>(select));
  statement.set_table_variable(table);
  statement.add_parameters()->set_type(v1::COLUMN_TYPE_INT32);
  statement.mutable_parameters(0)->set_variable(id);
  v1::Transaction& transaction = *workload.add_transactions();
  transaction.set_name("small");
  transaction.set_weight(1);
  transaction.add_steps()->set_execute(begin);
  transaction.add_steps()->set_draw(table);
  v1::Repeat& repeat = *transaction.add_steps()->mutable_repeat();
  repeat.set_count(3);
  repeat.add_steps()->set_draw(id);
  repeat.add_steps()->set_execute(select);
  transaction.add_steps()->set_execute(commit);
  return workload;
}

}  // namespace sysfleet
