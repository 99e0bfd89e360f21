#include "agent/load/prepared_insert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "agent/load/row_writer.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

// With what the protocols put beside each.
constexpr size_t kIntegerBytes = 16;
// Both protocols count parameters in 16 bits.
static_assert(InsertStatements::kStatementBytesMax / kIntegerBytes <= UINT16_MAX);

ParameterType TypeOf(v1::ColumnType type) {
  switch (type) {
    case v1::COLUMN_TYPE_TEXT:
      return ParameterType::kText;
    case v1::COLUMN_TYPE_INT32:
      return ParameterType::kInt32;
    default:
      return ParameterType::kInt64;
  }
}

int64_t RowsOf(const RowGenerator& generator) {
  size_t row_bytes = 0;
  for (size_t i = 0; i < generator.columns(); ++i) {
    row_bytes += kIntegerBytes + (generator.text_bytes_max(i));
  }
  const size_t rows_max = InsertStatements::kStatementBytesMax / row_bytes;
  return std::clamp<int64_t>(static_cast<int64_t>(rows_max), 1, PreparedInsert::kRowsMax);
}

// "(?,?),(?,?)", "($1,$2),($3,$4)".
std::string Placeholders(int64_t rows, size_t columns, DriverFamily family) {
  std::string text;
  int number = 0;
  for (int64_t row = 0; row < rows; ++row) {
    text += row == 0 ? "(" : ",(";
    for (size_t i = 0; i < columns; ++i) {
      if (i > 0) text += ',';
      text += family == DriverFamily::kPostgresql ? fmt::format("${}", ++number) : "?";
    }
    text += ')';
  }
  return text;
}

}  // namespace

absl::StatusOr<PreparedInsert> PreparedInsert::Compile(const v1::TableData& table,
                                                       std::string_view sql, DriverFamily family) {
  absl::StatusOr<RowGenerator> generator =
      RowGenerator::Compile(table, [](std::string_view text) { return std::string(text); });
  if (!generator.ok()) return generator.status();
  PreparedInsert insert(*std::move(generator));
  const size_t columns = insert.generator_.columns();
  insert.rows_ = RowsOf(insert.generator_);
  insert.statement_.sql = fmt::format("{}{}", sql, Placeholders(insert.rows_, columns, family));
  for (int64_t row = 0; row < insert.rows_; ++row) {
    for (const v1::Column& column : table.columns()) {
      insert.statement_.parameters.push_back(TypeOf(column.type()));
    }
  }
  insert.MakeRoom();
  return insert;
}

void PreparedInsert::MakeRoom() {
  const size_t columns = generator_.columns();
  size_t row_bytes_max = 0;
  for (size_t i = 0; i < columns; ++i) row_bytes_max += generator_.text_bytes_max(i);
  // Never of no size: a client library may take an empty text without an address for NULL.
  texts_.resize(static_cast<size_t>(rows_) * row_bytes_max + 1);
  values_.resize(static_cast<size_t>(rows_) * columns);
}

std::span<const Value> PreparedInsert::Values(int64_t first_row) {
  char* place = texts_.data();
  Value* value = values_.data();
  for (int64_t row = first_row; row < first_row + rows_; ++row) {
    const Variables& drawn = generator_.Row(row);
    for (size_t i = 0; i < generator_.columns(); ++i, ++value) {
      const std::string_view text = drawn[i].text;
      if (!text.empty()) std::memcpy(place, text.data(), text.size());
      *value = {.integer = drawn[i].integer, .text = {place, text.size()}};
      place += text.size();
    }
  }
  return values_;
}

}  // namespace sysfleet
