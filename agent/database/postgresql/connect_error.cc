#include "agent/database/postgresql/connect_error.h"

#include <algorithm>

#include "agent/database/message.h"

namespace sysfleet {
namespace {

constexpr size_t kCodeSize = 5;

bool BeginsWithCode(std::string_view text) {
  return text.size() > kCodeSize && text[kCodeSize] == ':' &&
         std::all_of(text.begin(), text.begin() + kCodeSize,
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
}

}  // namespace

ConnectError ParseConnectError(std::string_view text) {
  // The severity before it is in the server's language.
  constexpr std::string_view kBeforeCode = ":  ";
  for (size_t at = text.find(kBeforeCode); at != std::string_view::npos;
       at = text.find(kBeforeCode, at + 1)) {
    const std::string_view rest = text.substr(at + kBeforeCode.size());
    if (!BeginsWithCode(rest)) continue;
    const std::string_view message = rest.substr(kCodeSize + 1);
    return {.code = std::string(rest.substr(0, kCodeSize)),
            .message = OneLine(message.substr(0, message.find('\n')))};
  }
  return {.code = "lost", .message = OneLine(text)};
}

}  // namespace sysfleet
