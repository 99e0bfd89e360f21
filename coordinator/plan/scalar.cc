#include "coordinator/plan/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace sysfleet {
namespace {

bool IsPlainScalar(std::string_view text) {
  // Words that YAML, or a reader that guesses types, would take for something else.
  for (const std::string_view word :
       {"null", "Null", "NULL", "true", "false", "on", "off", "yes", "no"}) {
    if (text == word) return false;
  }
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/' ||
                  c == '-';
         });
}

}  // namespace

std::string YamlScalar(std::string_view text) {
  if (IsPlainScalar(text)) return std::string(text);
  std::string quoted = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      // "${" would be taken for a reference.
      if (c == '$' && text.substr(i).starts_with("${")) quoted += '$';
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace sysfleet
