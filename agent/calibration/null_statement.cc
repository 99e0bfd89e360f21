#include "agent/calibration/null_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace sysfleet {
namespace {

constexpr int kRangeRows = 100;

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

int CountParameters(std::string_view sql) {
  int marks = 0;
  int highest = 0;
  for (size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] == '?') ++marks;
    if (sql[i] != '$') continue;
    int number = 0;
    for (size_t d = i + 1; d < sql.size() && sql[d] >= '0' && sql[d] <= '9' && number < 1000; ++d) {
      number = number * 10 + (sql[d] - '0');
    }
    highest = std::max(highest, number);
  }
  return std::max(marks, highest);
}

void ClassifySelect(std::string_view upper, NullStatement& statement) {
  const bool is_text = upper.starts_with("SELECT C ") || upper.starts_with("SELECT DISTINCT C ");
  statement.reply = is_text ? NullStatement::Reply::kText : NullStatement::Reply::kInteger;
  const bool is_range = upper.find(" BETWEEN ") != std::string_view::npos;
  statement.rows = is_text && is_range ? kRangeRows : 1;
  statement.tag = fmt::format("SELECT {}", statement.rows);
}

}  // namespace

NullStatement ClassifySql(std::string_view sql) {
  const size_t begin = std::min(sql.find_first_not_of(" \t\r\n"), sql.size());
  const std::string upper = Upper(sql.substr(begin));
  const std::string word = upper.substr(0, upper.find_first_of(" \t\r\n;("));
  NullStatement statement;
  statement.parameters = CountParameters(sql);
  statement.tag = word;
  if (word == "SELECT") {
    ClassifySelect(upper, statement);
  } else if (word == "INSERT" || word == "UPDATE" || word == "DELETE") {
    statement.reply = NullStatement::Reply::kChanged;
    statement.tag = word == "INSERT" ? "INSERT 0 1" : word + " 1";
  } else if (word == "BEGIN" || word == "START") {
    statement.begins_transaction = true;
    statement.tag = "BEGIN";
  } else if (word == "COMMIT" || word == "END" || word == "ROLLBACK") {
    statement.ends_transaction = true;
  }
  return statement;
}

std::string_view NullText() {
  static const std::string text = [] {
    std::string digits;
    for (int group = 0; group < 11; ++group) digits += "0123456789-";
    return digits.substr(0, 119) + " ";
  }();
  return text;
}

}  // namespace sysfleet
