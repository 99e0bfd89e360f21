// SQL in which ":name" stands for a variable. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sysfleet {

struct NamedSql {
  /// With "?" in the place of each name.
  std::string sql;
  std::vector<std::string> names;  // as often as they are used
};

/// Names in quotes, quoted identifiers and comments stay as they are, as do PostgreSQL's casts
/// (`x::int`) and MySQL's assignments (`@a := 1`). Nothing where the SQL holds a "?" of its own,
/// for it could not be told from a name's.
std::optional<NamedSql> ParseNamedSql(std::string_view sql);

/// "update_accounts": the first word, and what stands behind FROM, INTO or UPDATE.
std::string StatementName(std::string_view sql);

/// The tables that it names behind FROM, JOIN, INTO or as what it updates, in lower case. Those
/// with a schema are left out, and all of a statement that begins with WITH.
std::vector<std::string> NamedTables(std::string_view sql);

/// How many values a SELECT (or a RETURNING) gives for each row, where its list tells: not with a
/// star, nor for other statements.
std::optional<int> ResultColumns(std::string_view sql);

}  // namespace sysfleet
