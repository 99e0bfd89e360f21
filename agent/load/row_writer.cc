#include "agent/load/row_writer.h"

#include <fmt/format.h>

#include <utility>

#include "agent/engine/literal.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

constexpr size_t kPieceBytes = 64 << 10;

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
  AppendEscaped(text, family == DriverFamily::kMysql ? Quoting::kBackslash : Quoting::kStandard,
                escaped);
  return escaped;
}

std::string Escape(std::string_view text, LoadFormat format, DriverFamily family) {
  return format == LoadFormat::kLines ? EscapeForLine(text) : EscapeForLiteral(text, family);
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
      return fmt::format("LOAD DATA LOCAL INFILE 'rows' INTO TABLE {}{} ({})", table.table(),
                         IsAscii(table) ? " CHARACTER SET binary" : "", columns);
    default:
      return fmt::format("INSERT INTO {} ({}) VALUES ", table.table(), columns);
  }
}

}  // namespace

absl::StatusOr<RowWriter> RowWriter::Compile(const v1::TableData& table, DriverFamily family) {
  if (absl::Status status = CheckMethod(table.method(), family); !status.ok()) return status;
  const LoadFormat format =
      table.method() == v1::LOAD_METHOD_INSERT ? LoadFormat::kValues : LoadFormat::kLines;
  absl::StatusOr<RowGenerator> rows = RowGenerator::Compile(
      table, [format, family](std::string_view text) { return Escape(text, format, family); });
  if (!rows.ok()) return rows.status();
  return RowWriter(*std::move(rows), format, family, SqlBefore(table));
}

RowWriter::RowWriter(RowGenerator rows, LoadFormat format, DriverFamily family, std::string sql)
    : rows_(std::move(rows)), format_(format), family_(family), sql_(std::move(sql)) {
  for (size_t i = 0; i < rows_.columns(); ++i) {
    // Escaping at most doubles a text.
    const size_t text_bytes = rows_.text_bytes_max(i) * (rows_.is_random_text(i) ? 2 : 1);
    // With a separator, and quotes around text.
    row_bytes_max_ += 1 + (rows_.is_text(i) ? 2 + text_bytes : kIntegerBytesMax);
  }
}

void RowWriter::AppendText(size_t column, std::string_view text, std::string& out) const {
  const bool quoted = format_ == LoadFormat::kValues;
  if (quoted) out += '\'';
  if (rows_.is_random_text(column)) {
    out += Escape(text, format_, family_);
  } else {
    out += text;
  }
  if (quoted) out += '\'';
}

void RowWriter::Append(int64_t row, std::string& out) {
  const Variables& values = rows_.Row(row);
  const bool lines = format_ == LoadFormat::kLines;
  const char separator = lines ? '\t' : ',';
  if (!lines) out += '(';
  for (size_t i = 0; i < rows_.columns(); ++i) {
    if (i > 0) out += separator;
    if (rows_.is_text(i)) {
      AppendText(i, values[i].text, out);
    } else {
      AppendInteger(values[i].integer, out);
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
