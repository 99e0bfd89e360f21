#include "agent/database/message.h"

namespace sysfleet {

std::string OneLine(std::string_view text) {
  std::string line;
  bool blank_is_due = false;
  for (char c : text) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      blank_is_due = !line.empty();
      continue;
    }
    if (blank_is_due) line += ' ';
    blank_is_due = false;
    line += c;
  }
  return line;
}

}  // namespace sysfleet
