#include "agent/load/row_writer.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

constexpr size_t kPieceBytes = 64 << 10;
// "-9223372036854775808".
constexpr size_t kIntegerBytesMax = 20;

absl::Status CheckMethod(v1::LoadMethod method, DriverFamily family) {
  const bool postgresql = family == DriverFamily::kPostgresql;
  if (method == v1::LOAD_METHOD_INSERT) return absl::OkStatus();
  if (method == v1::LOAD_METHOD_COPY && postgresql) return absl::OkStatus();
  if (method == v1::LOAD_METHOD_LOCAL_INFILE && !postgresql) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("the {} family cannot load by {}",
                                                postgresql ? "PostgreSQL" : "MySQL",
                                                v1::LoadMethod_Name(method)));
}

std::string EscapeForLine(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\t':
        escaped += "\\t";
        break;
      case '\n':
        escaped += "\\n";
        break;
      case '\r':
        escaped += "\\r";
        break;
      case '\\':
        escaped += "\\\\";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string EscapeForLiteral(std::string_view text, DriverFamily family) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'' || (c == '\\' && family == DriverFamily::kMysql)) escaped += c;
    escaped += c;
  }
  return escaped;
}

// Escaped once in the pattern, for what replaces its places needs no escaping.
absl::StatusOr<Generator> CompileColumn(const v1::Column& column, size_t columns, LoadFormat format,
                                        DriverFamily family) {
  v1::Generator message = column.generator();
  if (message.has_pattern()) {
    v1::Pattern& pattern = *message.mutable_pattern();
    pattern.set_text(format == LoadFormat::kLines ? EscapeForLine(pattern.text())
                                                  : EscapeForLiteral(pattern.text(), family));
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

std::string SqlBefore(const v1::TableData& table) {
  std::string columns;
  for (const v1::Column& column : table.columns()) {
    if (!columns.empty()) columns += ", ";
    columns += column.name();
  }
  switch (table.method()) {
    case v1::LOAD_METHOD_COPY:
      return fmt::format("COPY {} ({}) FROM STDIN", table.table(), columns);
    case v1::LOAD_METHOD_LOCAL_INFILE:
      return fmt::format("LOAD DATA LOCAL INFILE 'rows' INTO TABLE {} ({})", table.table(),
                         columns);
    default:
      return fmt::format("INSERT INTO {} ({}) VALUES ", table.table(), columns);
  }
}

void AppendInteger(int64_t value, std::string& out) {
  char digits[kIntegerBytesMax];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

}  // namespace

absl::StatusOr<RowWriter> RowWriter::Compile(const v1::TableData& table, DriverFamily family) {
  if (absl::Status status = CheckMethod(table.method(), family); !status.ok()) return status;
  if (table.columns().empty()) return absl::InvalidArgumentError("a table without columns");
  RowWriter writer;
  writer.format_ =
      table.method() == v1::LOAD_METHOD_INSERT ? LoadFormat::kValues : LoadFormat::kLines;
  writer.sql_ = SqlBefore(table);
  writer.seed_ = table.seed();
  writer.columns_ = std::make_unique<std::vector<Generator>>();
  writer.row_bytes_max_ = 3;  // Brackets and a comma.
  for (const v1::Column& column : table.columns()) {
    absl::StatusOr<Generator> generator =
        CompileColumn(column, static_cast<size_t>(table.columns_size()), writer.format_, family);
    if (!generator.ok()) {
      return absl::InvalidArgumentError(fmt::format("table {}, column {}: {}", table.table(),
                                                    column.name(),
                                                    std::string(generator.status().message())));
    }
    // With a separator, and quotes around text.
    writer.row_bytes_max_ +=
        1 + (generator->is_text() ? 2 + generator->pattern().size() : kIntegerBytesMax);
    writer.columns_->push_back(*std::move(generator));
  }
  writer.variables_ = std::make_unique<Variables>(*writer.columns_, Random(0), UniqueIds(0, 0, 1));
  return writer;
}

void RowWriter::Append(int64_t row, std::string& out) {
  Variables& values = *variables_;
  values.StartRow(row, Random(MixSeed(seed_, static_cast<uint64_t>(row))));
  const bool lines = format_ == LoadFormat::kLines;
  const char separator = lines ? '\t' : ',';
  if (!lines) out += '(';
  for (size_t i = 0; i < columns_->size(); ++i) {
    if (i > 0) out += separator;
    values.Draw(i);
    if (!(*columns_)[i].is_text()) {
      AppendInteger(values[i].integer, out);
    } else if (lines) {
      out += values[i].text;
    } else {
      out += '\'';
      out += values[i].text;
      out += '\'';
    }
  }
  out += lines ? '\n' : ')';
}

std::string_view RowLines::Next() {
  piece_.clear();
  while (next_row_ <= last_row_ && piece_.size() < kPieceBytes) writer_.Append(next_row_++, piece_);
  return piece_;
}

std::string_view InsertStatements::Next() {
  statement_.clear();
  while (next_row_ <= last_row_) {
    if (statement_.empty()) {
      statement_ = writer_.sql();
    } else if (statement_.size() + writer_.row_bytes_max() > kStatementBytesMax) {
      break;
    } else {
      statement_ += ',';
    }
    writer_.Append(next_row_++, statement_);
  }
  return statement_;
}

}  // namespace sysfleet
