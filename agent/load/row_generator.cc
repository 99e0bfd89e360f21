#include "agent/load/row_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

// Once here, so that nothing is left to do for each row; what replaces the places of a pattern
// needs no escaping.
void EscapeTexts(const RowGenerator::Escape& escape, v1::Generator& message) {
  if (message.has_pattern()) {
    v1::Pattern& pattern = *message.mutable_pattern();
    pattern.set_text(escape(pattern.text()));
  }
  if (!message.has_choice()) return;
  for (v1::Choice::Item& item : *message.mutable_choice()->mutable_items()) {
    if (item.has_text()) item.set_text(escape(item.text()));
  }
}

// Whose value depends on the connection, or on what came before.
bool FollowsFromRow(const v1::Generator& generator) {
  return !generator.has_unique_id() && !generator.has_slice() && !generator.has_connection() &&
         !generator.has_counter() && !generator.has_captured();
}

/// `before` has the columns to the left.
absl::StatusOr<Generator> CompileColumn(const v1::Column& column,
                                        const std::vector<Generator>& before,
                                        const RowGenerator::Escape& escape) {
  v1::Generator message = column.generator();
  if (!FollowsFromRow(message)) {
    return absl::InvalidArgumentError("its generator does not follow from the number of a row");
  }
  EscapeTexts(escape, message);
  // Drawn from left to right: what stands further right has the row before's value.
  absl::StatusOr<Generator> generator = Generator::Compile(message, before.size());
  if (!generator.ok()) return generator;
  for (const size_t other : generator->References()) {
    if (before[other].is_text()) return absl::InvalidArgumentError("calculates with a text");
  }
  if (generator->is_text() != (column.type() == v1::COLUMN_TYPE_TEXT)) {
    return absl::InvalidArgumentError("generator and type do not fit");
  }
  return generator;
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) <= 0x7f; });
}

}  // namespace

absl::StatusOr<RowGenerator> RowGenerator::Compile(const v1::TableData& table,
                                                   const Escape& escape) {
  if (table.columns().empty()) return absl::InvalidArgumentError("a table without columns");
  RowGenerator rows;
  rows.seed_ = table.seed();
  rows.columns_ = std::make_unique<std::vector<Generator>>();
  for (const v1::Column& column : table.columns()) {
    absl::StatusOr<Generator> generator = CompileColumn(column, *rows.columns_, escape);
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
    if (!IsAscii(column.generator().pattern().text())) return false;
    for (const v1::Choice::Item& item : column.generator().choice().items()) {
      if (!IsAscii(item.text())) return false;
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
