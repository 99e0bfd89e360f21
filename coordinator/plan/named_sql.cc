#include "coordinator/plan/named_sql.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sysfleet {
namespace {

bool IsNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool IsNameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The end of what begins at `place` and is not to be looked into: a text or an identifier in
/// quotes, a comment. `place` itself where nothing of that begins there.
size_t SkipOpaque(std::string_view sql, size_t place) {
  const auto behind = [&](std::string_view end, size_t from) {
    const size_t found = sql.find(end, from);
    return found == std::string_view::npos ? sql.size() : found + end.size();
  };
  const char c = sql[place];
  if (c == '\'' || c == '"' || c == '`') return behind(std::string_view(&c, 1), place + 1);
  if (sql.substr(place).starts_with("--")) return behind("\n", place);
  if (sql.substr(place).starts_with("/*")) return behind("*/", place + 2);
  return place;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Words and single signs outside of quotes and comments, in lower case.
std::vector<std::string> Tokens(std::string_view sql) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < sql.size();) {
    if (const size_t end = SkipOpaque(sql, i); end != i) {
      const bool is_comment = sql[i] == '-' || sql[i] == '/';
      if (!is_comment) tokens.push_back(Lower(sql.substr(i + 1, end - i - 2)));
      i = end;
    } else if (IsNameStart(sql[i])) {
      size_t end_of_word = i;
      while (end_of_word < sql.size() &&
             (IsNameChar(sql[end_of_word]) || sql[end_of_word] == '.')) {
        ++end_of_word;
      }
      tokens.push_back(Lower(sql.substr(i, end_of_word - i)));
      i = end_of_word;
    } else {
      if (std::isspace(static_cast<unsigned char>(sql[i])) == 0) tokens.emplace_back(1, sql[i]);
      ++i;
    }
  }
  return tokens;
}

}  // namespace

std::optional<NamedSql> ParseNamedSql(std::string_view sql) {
  if (sql.find('?') != std::string_view::npos) return std::nullopt;
  NamedSql parsed;
  for (size_t i = 0; i < sql.size();) {
    if (const size_t end = SkipOpaque(sql, i); end != i) {
      parsed.sql += sql.substr(i, end - i);
      i = end;
      continue;
    }
    const bool begins_name = sql[i] == ':' && i + 1 < sql.size() && IsNameStart(sql[i + 1]) &&
                             (i == 0 || sql[i - 1] != ':');
    if (!begins_name) {
      parsed.sql += sql[i++];
      continue;
    }
    size_t end = ++i;
    while (end < sql.size() && IsNameChar(sql[end])) ++end;
    parsed.names.emplace_back(sql.substr(i, end - i));
    parsed.sql += '?';
    i = end;
  }
  return parsed;
}

std::string StatementName(std::string_view sql) {
  static constexpr std::array<std::string_view, 3> kBeforeTable = {"from", "into", "update"};
  const std::vector<std::string> tokens = Tokens(sql);
  if (tokens.empty()) return "statement";
  std::string name = tokens[0];
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (std::find(kBeforeTable.begin(), kBeforeTable.end(), tokens[i]) == kBeforeTable.end()) {
      continue;
    }
    if (!IsNameStart(tokens[i + 1][0])) continue;
    return name + "_" + tokens[i + 1];
  }
  return name;
}

std::vector<std::string> NamedTables(std::string_view sql) {
  static constexpr std::array<std::string_view, 4> kWithFrom = {"extract", "substring", "trim",
                                                                "overlay"};
  const std::vector<std::string> tokens = Tokens(sql);
  std::vector<std::string> tables;
  if (tokens.empty() || tokens[0] == "with") return tables;
  std::vector<std::string> before_parenthesis;  // of those that are open
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    if (token == "(") before_parenthesis.push_back(i > 0 ? tokens[i - 1] : "");
    if (token == ")" && !before_parenthesis.empty()) before_parenthesis.pop_back();
    const bool is_of_function =
        !before_parenthesis.empty() &&
        std::find(kWithFrom.begin(), kWithFrom.end(), before_parenthesis.back()) != kWithFrom.end();
    const bool is_from = token == "from" && !is_of_function && i > 0 && tokens[i - 1] != "distinct";
    const bool precedes_table =
        is_from || token == "join" || token == "into" || (token == "update" && i == 0);
    if (!precedes_table || i + 1 == tokens.size()) continue;
    const std::string& name = tokens[i + 1];
    const bool is_plain = IsNameStart(name[0]) && name.find('.') == std::string::npos;
    if (is_plain && name != "lateral" && name != "select") tables.push_back(name);
  }
  return tables;
}

std::optional<int> ResultColumns(std::string_view sql) {
  const std::vector<std::string> tokens = Tokens(sql);
  auto begin = std::find(tokens.begin(), tokens.end(), "returning");
  if (begin == tokens.end()) {
    if (tokens.empty() || tokens[0] != "select") return std::nullopt;
    begin = tokens.begin();
  }
  int columns = 1;
  int depth = 0;
  for (auto token = begin + 1; token != tokens.end(); ++token) {
    if (depth == 0 && (*token == "*" && (token - 1 == begin || *(token - 1) == ","))) {
      return std::nullopt;
    }
    if (depth == 0 && token->ends_with(".")) return std::nullopt;  // "t.*"
    if (depth == 0 && *token == "from") break;
    if (*token == "(") ++depth;
    if (*token == ")") --depth;
    if (*token == "," && depth == 0) ++columns;
  }
  return columns;
}

}  // namespace sysfleet
