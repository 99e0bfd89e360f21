#include "agent/engine/sql_text.h"

#include <fmt/format.h>

#include "absl/status/status.h"
#include "agent/engine/table_placeholder.h"

namespace sysfleet {
namespace {

// The length of the quoted text or comment at the front of `sql`; 0 where there is none. What has
// no end reaches to the end of the text: the server will say so.
size_t OpaqueLength(std::string_view sql) {
  const auto upto = [sql](std::string_view end, size_t from) {
    const size_t at = sql.find(end, from);
    return at == std::string_view::npos ? sql.size() : at + end.size();
  };
  switch (sql[0]) {
    case '\'':
    case '"':
    case '`':
      // A doubled quote reads as two texts side by side, which ends at the same place.
      return upto(sql.substr(0, 1), 1);
    default:
      break;
  }
  if (sql.starts_with("--")) return upto("\n", 2);
  if (sql.starts_with("/*")) return upto("*/", 2);
  return 0;
}

}  // namespace

absl::StatusOr<SqlText> SqlText::Compile(std::string_view sql,
                                         const std::vector<Argument>& arguments,
                                         const uint32_t* table_variable, Quoting quoting) {
  SqlText text;
  text.quoting_ = quoting;
  std::string before;
  size_t used = 0;
  const auto add = [&](Kind kind, uint32_t variable) {
    text.pieces_.push_back({std::move(before), kind, variable});
    before.clear();
  };
  while (!sql.empty()) {
    if (const size_t opaque = OpaqueLength(sql); opaque > 0) {
      before += sql.substr(0, opaque);
      sql.remove_prefix(opaque);
    } else if (table_variable != nullptr && sql.starts_with(kTablePlaceholder)) {
      add(Kind::kInteger, *table_variable);
      sql.remove_prefix(kTablePlaceholder.size());
    } else if (sql[0] == '?') {
      if (used < arguments.size()) {
        add(arguments[used].is_text ? Kind::kText : Kind::kInteger, arguments[used].variable);
      }
      ++used;
      sql.remove_prefix(1);
    } else {
      before += sql[0];
      sql.remove_prefix(1);
    }
  }
  if (used != arguments.size()) {
    return absl::InvalidArgumentError(fmt::format(
        "the statement has {} placeholders, {} parameters are given", used, arguments.size()));
  }
  if (!before.empty()) add(Kind::kNone, 0);
  return text;
}

void SqlText::Append(const Variables& variables, std::string& out) const {
  for (const Piece& piece : pieces_) {
    out += piece.before;
    switch (piece.kind) {
      case Kind::kNone:
        break;
      case Kind::kInteger:
        AppendInteger(variables[piece.variable].integer, out);
        break;
      case Kind::kText:
        out += '\'';
        AppendEscaped(variables[piece.variable].text, quoting_, out);
        out += '\'';
        break;
    }
  }
}

}  // namespace sysfleet
