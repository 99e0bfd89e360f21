// The rows of a table as values: a row's content is a function of the table's seed and the row's
// number alone, so that it does not matter who loads it, nor in which chunk. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/engine/generator.h"

namespace sysfleet {

namespace v1 {
class TableData;
}

class RowGenerator {
 public:
  /// What a text of the table becomes in the rows. Random text is not escaped: its characters are
  /// only known once they are drawn.
  using Escape = std::function<std::string(std::string_view)>;

  /// INVALID_ARGUMENT, with the column, for data that cannot be generated from a row's number.
  static absl::StatusOr<RowGenerator> Compile(const v1::TableData& table, const Escape& escape);

  /// A row's values by column, valid until the next call.
  const Variables& Row(int64_t row);

  size_t columns() const { return columns_->size(); }
  bool is_text(size_t column) const { return (*columns_)[column].is_text(); }
  bool is_random_text(size_t column) const {
    return (*columns_)[column].kind() == Generator::Kind::kRandomText;
  }
  /// No text of a column is longer.
  size_t text_bytes_max(size_t column) const { return (*columns_)[column].text_bytes_max(); }

 private:
  RowGenerator() = default;

  uint64_t seed_ = 0;
  // On the heap, for values_ refers to it.
  std::unique_ptr<std::vector<Generator>> columns_;
  std::unique_ptr<Variables> values_;
};

/// Whether the bytes of its texts mean the same in every character set. A MySQL server that is told
/// that they are in none ("binary") neither checks nor converts them.
bool IsAscii(const v1::TableData& table);

}  // namespace sysfleet
