// Rows of a table as executions of a prepared INSERT of many rows: the server need not read SQL
// text nor turn digits into numbers, which is half its work with an INSERT in text. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/database/connection.h"
#include "agent/database/factory.h"
#include "agent/load/row_generator.h"

namespace sysfleet {

namespace v1 {
class TableData;
}

class PreparedInsert {
 public:
  /// Beyond this the server hardly saves anything; it keeps about a kilobyte for each row.
  static constexpr int64_t kRowsMax = 500;

  /// `sql` is the INSERT up to VALUES. Errors as RowGenerator's.
  static absl::StatusOr<PreparedInsert> Compile(const v1::TableData& table, std::string_view sql,
                                                DriverFamily family);

  /// What to prepare: the INSERT alone.
  std::span<const StatementSpec> statements() const { return {&statement_, 1}; }

  /// How many rows an execution inserts: kRowsMax, or fewer where they are long or of many columns.
  int64_t rows() const { return rows_; }

  /// The values of rows `first_row` to first_row + rows() - 1, valid until the next call.
  std::span<const Value> Values(int64_t first_row);

 private:
  explicit PreparedInsert(RowGenerator generator) : generator_(std::move(generator)) {}

  void MakeRoom();

  RowGenerator generator_;
  int64_t rows_ = 0;
  StatementSpec statement_;
  // Row by row; their texts lie in texts_, one behind the other.
  std::vector<Value> values_;
  std::vector<char> texts_;
};

}  // namespace sysfleet
