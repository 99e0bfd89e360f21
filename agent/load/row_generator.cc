#include "agent/load/row_generator.h"

#include <fmt/format.h>

#include <utility>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

// Escaped once in the pattern, for what replaces its places needs no escaping.
absl::StatusOr<Generator> CompileColumn(const v1::Column& column, size_t columns,
                                        const RowGenerator::Escape& escape) {
  v1::Generator message = column.generator();
  if (message.has_pattern()) {
    v1::Pattern& pattern = *message.mutable_pattern();
    pattern.set_text(escape(pattern.text()));
  }
  if (message.has_unique_id()) {
    return absl::InvalidArgumentError("a unique id does not follow from the number of a row");
  }
  absl::StatusOr<Generator> generator = Generator::Compile(message, columns);
  if (generator.ok() && generator->is_text() != (column.type() == v1::COLUMN_TYPE_TEXT)) {
    return absl::InvalidArgumentError("generator and type do not fit");
  }
  return generator;
}

}  // namespace

absl::StatusOr<RowGenerator> RowGenerator::Compile(const v1::TableData& table,
                                                   const Escape& escape) {
  if (table.columns().empty()) return absl::InvalidArgumentError("a table without columns");
  RowGenerator rows;
  rows.seed_ = table.seed();
  rows.columns_ = std::make_unique<std::vector<Generator>>();
  for (const v1::Column& column : table.columns()) {
    absl::StatusOr<Generator> generator =
        CompileColumn(column, static_cast<size_t>(table.columns_size()), escape);
    if (!generator.ok()) {
      return absl::InvalidArgumentError(fmt::format("table {}, column {}: {}", table.table(),
                                                    column.name(),
                                                    std::string(generator.status().message())));
    }
    rows.columns_->push_back(*std::move(generator));
  }
  rows.values_ = std::make_unique<Variables>(*rows.columns_, Random(0), UniqueIds(0, 0, 1));
  return rows;
}

bool IsAscii(const v1::TableData& table) {
  for (const v1::Column& column : table.columns()) {
    for (const char c : column.generator().pattern().text()) {
      if (static_cast<unsigned char>(c) > 0x7f) return false;
    }
  }
  return true;
}

const Variables& RowGenerator::Row(int64_t row) {
  values_->StartRow(row, Random(MixSeed(seed_, static_cast<uint64_t>(row))));
  for (size_t column = 0; column < columns_->size(); ++column) values_->Draw(column);
  return *values_;
}

}  // namespace sysfleet
