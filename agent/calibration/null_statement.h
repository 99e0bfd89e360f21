// What the null server answers to a statement: told from its SQL alone, for it has no data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sysfleet {

struct NullStatement {
  enum class Reply : uint8_t {
    kNothing,  // done, no row changed
    kChanged,  // one row changed
    kText,     // rows of one column of 120 characters, as sysbench's column c
    kInteger,  // one row of one 64-bit integer
  };

  Reply reply = Reply::kNothing;
  /// Of the result; a range has as many as sysbench's default range_size.
  int rows = 0;
  bool begins_transaction = false;
  bool ends_transaction = false;
  /// Placeholders: the highest $n, or the number of question marks.
  int parameters = 0;
  /// PostgreSQL's word for what was done, such as "UPDATE 1".
  std::string tag;
};

NullStatement ClassifySql(std::string_view sql);

/// What a column of text holds.
std::string_view NullText();

}  // namespace sysfleet
