#include "coordinator/plan/encoding.h"

#include <algorithm>

namespace sysfleet {
namespace {

bool IsContinuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

/// Bytes of the well-formed UTF-8 character (RFC 3629) that `text` begins with; 0 if it is none.
size_t CharacterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(byte(i))) return 0;
  }
  // Longer forms than needed, surrogates, and what lies beyond U+10FFFF.
  const unsigned char second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0)) return 0;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90)) return 0;
  return length;
}

}  // namespace

std::optional<DocumentError> FindBinary(std::string_view text) {
  Position position;
  while (!text.empty()) {
    if (text.front() == '\0') return DocumentError{position, "not a text file: a NUL byte"};
    const size_t length = CharacterLength(text);
    if (length == 0) return DocumentError{position, "not a text file: a byte that is not UTF-8"};
    if (text.front() == '\n') {
      ++position.line;
      position.column = 1;
    } else {
      position.column += static_cast<int>(length);
    }
    text.remove_prefix(length);
  }
  return std::nullopt;
}

std::string ForMessage(std::string_view text) {
  constexpr size_t kBytesMax = 60;
  std::string shown(text);
  if (shown.size() > kBytesMax) {
    size_t end = kBytesMax - 3;
    while (end > 0 && IsContinuation(static_cast<unsigned char>(shown[end]))) --end;
    shown.resize(end);
    shown += "...";
  }
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return shown;
}

}  // namespace sysfleet
