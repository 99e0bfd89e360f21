// SQL text with the present values of variables as literals, for statements that are not prepared.
// Immutable; shared by all connections of a cell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/engine/generator.h"
#include "agent/engine/literal.h"

namespace sysfleet {

class SqlText {
 public:
  /// What a '?' of the SQL stands for.
  struct Argument {
    uint32_t variable = 0;
    bool is_text = false;
  };

  /// Every '?' outside of quotes and comments is replaced, in the order of `arguments`, and
  /// "{table}" by the integer of `table_variable`, where there is one. INVALID_ARGUMENT where the
  /// number of '?' is another.
  static absl::StatusOr<SqlText> Compile(std::string_view sql,
                                         const std::vector<Argument>& arguments,
                                         const uint32_t* table_variable, Quoting quoting);

  void Append(const Variables& variables, std::string& out) const;

 private:
  enum class Kind : uint8_t { kNone, kInteger, kText };
  // What comes before a value, and the value.
  struct Piece {
    std::string before;
    Kind kind = Kind::kNone;
    uint32_t variable = 0;
  };

  std::vector<Piece> pieces_;
  Quoting quoting_ = Quoting::kStandard;
};

}  // namespace sysfleet
