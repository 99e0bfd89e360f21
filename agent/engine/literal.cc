#include "agent/engine/literal.h"

#include <charconv>

namespace sysfleet {

void AppendInteger(int64_t value, std::string& out) {
  char digits[kIntegerBytesMax];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void AppendEscaped(std::string_view text, Quoting quoting, std::string& out) {
  for (const char c : text) {
    if (c == '\'' || (c == '\\' && quoting == Quoting::kBackslash)) out += c;
    out += c;
  }
}

}  // namespace sysfleet
