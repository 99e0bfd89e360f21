#include <array>

#include "coordinator/workload/bodies.h"
#include "coordinator/workload/builder.h"
#include "coordinator/workload/generators.h"

namespace sysfleet {
namespace {

// sysbench sends an INSERT of many rows when its buffer of this size is full.
constexpr uint32_t kBufferBytes = 512 << 10;

// With smaller_row_sizes.
constexpr std::string_view kSmallC = kPatternPad;
constexpr std::string_view kSmallPad = kPatternPad.substr(0, 35);

Query InsertUniqueQuery() {
  return {"insert",
          "INSERT INTO sbtest{table} (id, k, c, pad) VALUES (?, ?, ?, ?)",
          {Slot::kUniqueId, Slot::kK, Slot::kC, Slot::kPad},
          v1::EFFECT_INSERT_ROW};
}

// The server chooses the id.
Query InsertWithoutIdQuery() {
  return {"insert",
          "INSERT INTO sbtest{table} (k, c, pad) VALUES (?, ?, ?)",
          {Slot::kK, Slot::kC, Slot::kPad},
          v1::EFFECT_INSERT_ROW};
}

// In MySQL an id of 0 asks for the counter's next value.
Query InsertZeroIdQuery() {
  return {"insert",
          "INSERT INTO sbtest{table} (id, k, c, pad) VALUES (0, ?, ?, ?)",
          {Slot::kK, Slot::kC, Slot::kPad},
          v1::EFFECT_INSERT_ROW};
}

Query AsText(Query query) {
  query.as_text = true;
  return query;
}

}  // namespace

void AddInsert(const BodyContext& context, WorkloadBuilder& builder) {
  if (!context.dataset.auto_inc) {
    builder.AddGroup(1, {AsText(InsertUniqueQuery())});
  } else if (context.driver == Driver::kMysql) {
    builder.AddGroup(1, {AsText(InsertZeroIdQuery())});
  } else {
    builder.AddGroup(1, {AsText(InsertWithoutIdQuery())});
  }
}

void AddMultiInsert(const BodyContext& context, WorkloadBuilder& builder) {
  builder.AddGroup(context.options.num_rows_in_insert,
                   {context.dataset.auto_inc ? InsertWithoutIdQuery() : InsertUniqueQuery()});
}

void AddMultiValueInsert(const BodyContext& context, WorkloadBuilder& builder) {
  const bool small = context.options.smaller_row_sizes;
  const uint32_t k = builder.VariableOf(Slot::kK);
  const uint32_t c = builder.Variable("c", PatternGenerator(small ? kSmallC : kPatternC));
  const uint32_t pad = builder.Variable("pad", PatternGenerator(small ? kSmallPad : kPatternPad));
  v1::Statement statement = builder.MakeStatement(
      "insert", "INSERT INTO sbtest{table}(k, c, pad) VALUES", /*as_text=*/true);
  statement.set_table_variable(builder.TableVariable());
  statement.set_effect(v1::EFFECT_INSERT_ROW);
  v1::Rows& rows = *statement.mutable_rows();
  rows.set_row("(?, ?, ?)");
  WorkloadBuilder::AddParameter(v1::COLUMN_TYPE_INT32, k, *rows.mutable_parameters());
  WorkloadBuilder::AddParameter(v1::COLUMN_TYPE_TEXT, c, *rows.mutable_parameters());
  WorkloadBuilder::AddParameter(v1::COLUMN_TYPE_TEXT, pad, *rows.mutable_parameters());
  for (const uint32_t drawn : {k, c, pad}) rows.add_draws(drawn);
  rows.set_count(static_cast<uint32_t>(context.options.batch_insert_count));
  rows.set_bytes_max(kBufferBytes);
  builder.AddOnce(std::array{builder.TableVariable()}, statement);
}

// In sysbench an event adds one row to the buffer, and the one that fills it sends it. Here a
// transaction is a buffer, counted as its rows, so that each one's latency is that of an INSERT.
void AddBulkInsert(const BodyContext& context, WorkloadBuilder& builder) {
  v1::Generator own_table;
  own_table.mutable_connection()->set_modulus(static_cast<uint32_t>(context.dataset.tables));
  const uint32_t table = builder.Variable("table", own_table);
  v1::Generator counter;
  counter.mutable_counter();
  const uint32_t id = builder.Variable("id", counter);
  v1::Statement statement =
      builder.MakeStatement("insert", "INSERT INTO sbtest{table} VALUES", /*as_text=*/true);
  statement.set_table_variable(table);
  statement.set_effect(v1::EFFECT_INSERT_ROW);
  v1::Rows& rows = *statement.mutable_rows();
  rows.set_row("(?,?)");
  for (int column = 0; column < 2; ++column) {
    WorkloadBuilder::AddParameter(v1::COLUMN_TYPE_INT32, id, *rows.mutable_parameters());
  }
  rows.add_draws(id);
  rows.set_bytes_max(kBufferBytes);
  builder.AddOnce(std::array{table}, statement);
}

}  // namespace sysfleet
