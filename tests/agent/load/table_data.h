// The rows that tests load: sysbench's columns.
#pragma once

#include <string>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {

inline void AddColumn(v1::TableData& table, const std::string& name, v1::ColumnType type,
                      const v1::Generator& generator) {
  v1::Column& column = *table.add_columns();
  column.set_name(name);
  column.set_type(type);
  *column.mutable_generator() = generator;
}

inline v1::Generator PatternOf(const std::string& text) {
  v1::Generator generator;
  generator.mutable_pattern()->set_text(text);
  return generator;
}

inline v1::TableData RowsOf(const std::string& name, v1::LoadMethod method) {
  v1::TableData table;
  table.set_table(name);
  table.set_seed(42);
  table.set_method(method);
  v1::Generator number;
  number.mutable_row_number();
  AddColumn(table, "id", v1::COLUMN_TYPE_INT32, number);
  v1::Generator uniform;
  uniform.mutable_uniform()->set_min(1);
  uniform.mutable_uniform()->set_max(1000);
  AddColumn(table, "k", v1::COLUMN_TYPE_INT32, uniform);
  AddColumn(table, "c", v1::COLUMN_TYPE_TEXT, PatternOf("###########-@@@"));
  // What needs care in one format or the other.
  AddColumn(table, "pad", v1::COLUMN_TYPE_TEXT, PatternOf("it's\t\\#\n\\N"));
  return table;
}

/// Columns whose texts differ in length, some of which need care.
inline v1::TableData VaryingRowsOf(v1::LoadMethod method) {
  v1::TableData table;
  table.set_table("v");
  table.set_seed(42);
  table.set_method(method);
  v1::Generator choice;
  for (const char* const text : {"", "it's", "a\\b"}) {
    v1::Choice::Item& item = *choice.mutable_choice()->add_items();
    item.set_text(text);
    item.set_weight(1);
  }
  AddColumn(table, "a", v1::COLUMN_TYPE_TEXT, choice);
  v1::Generator random_text;
  random_text.mutable_random_text()->set_length_min(1);
  random_text.mutable_random_text()->set_length_max(2);
  random_text.mutable_random_text()->set_alphabet("'\\");
  AddColumn(table, "b", v1::COLUMN_TYPE_TEXT, random_text);
  return table;
}

inline v1::Task ChunkTask(uint64_t id, const v1::TableData& table, int64_t first_row,
                          int64_t last_row, const std::string& completed_sql) {
  v1::Task task;
  task.set_id(id);
  v1::Chunk& chunk = *task.mutable_chunk();
  *chunk.mutable_table() = table;
  chunk.set_first_row(first_row);
  chunk.set_last_row(last_row);
  chunk.set_completed_sql(completed_sql);
  return task;
}

}  // namespace sysfleet
