// Rows of a table as the text that a server takes. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "agent/database/connection.h"
#include "agent/database/factory.h"
#include "agent/load/row_generator.h"

namespace sysfleet {

namespace v1 {
class TableData;
}

/// How rows get into a table.
enum class LoadFormat : uint8_t {
  kLines,  // a line a row, tabs between the columns: PostgreSQL's COPY text and MySQL's LOAD DATA
  kValues  // multi-row INSERT
};

class RowWriter {
 public:
  /// INVALID_ARGUMENT, with the column, for data that cannot be generated from a row's number, and
  /// for a method that the family does not have.
  static absl::StatusOr<RowWriter> Compile(const v1::TableData& table, DriverFamily family);

  LoadFormat format() const { return format_; }

  /// What comes before the rows: COPY or LOAD DATA, or INSERT up to VALUES.
  const std::string& sql() const { return sql_; }

  /// Appends one row in the writer's format, the end of a line included.
  void Append(int64_t row, std::string& out);

  /// No row is longer.
  size_t row_bytes_max() const { return row_bytes_max_; }

 private:
  RowWriter(RowGenerator rows, LoadFormat format, DriverFamily family, std::string sql);

  void AppendText(size_t column, std::string_view text, std::string& out) const;

  RowGenerator rows_;
  LoadFormat format_;
  DriverFamily family_;
  std::string sql_;
  size_t row_bytes_max_ = 3;  // brackets and a comma
};

/// Rows first to last as the lines that COPY and LOAD DATA take.
class RowLines final : public CopySource {
 public:
  /// `writer` has the format kLines and outlives this.
  RowLines(RowWriter& writer, int64_t first_row, int64_t last_row)
      : writer_(writer), next_row_(first_row), last_row_(last_row) {}

  std::string_view Next() override;

 private:
  RowWriter& writer_;
  int64_t next_row_;
  const int64_t last_row_;
  std::string piece_;
};

/// Rows first to last as INSERT statements of at most kStatementBytesMax, or one row each where a
/// row is longer.
class InsertStatements {
 public:
  /// Servers take at least 4 MiB by default, some were told 1 MiB.
  static constexpr size_t kStatementBytesMax = 1'000'000;

  /// `writer` has the format kValues and outlives this.
  InsertStatements(RowWriter& writer, int64_t first_row, int64_t last_row)
      : writer_(writer), next_row_(first_row), last_row_(last_row) {}

  /// The next statement, valid until the next call; empty at the end.
  std::string_view Next();

 private:
  RowWriter& writer_;
  int64_t next_row_;
  const int64_t last_row_;
  std::string statement_;
};

}  // namespace sysfleet
