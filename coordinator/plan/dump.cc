#include "coordinator/plan/dump.h"

#include <fmt/format.h>

namespace sysfleet {
namespace {

/// In double quotes, where YAML knows JSON's escapes.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < ' ') {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string Dump(const Node& node) {
  std::string text;
  switch (node.kind) {
    case NodeKind::kNull:
      return "null";
    case NodeKind::kScalar:
      return Quoted(node.text);
    case NodeKind::kList:
      for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + Dump(item);
      return "[" + text + "]";
    case NodeKind::kMap:
      for (const Member& member : node.members) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", Quoted(member.key),
                            Dump(member.value));
      }
      return "{" + text + "}";
  }
  return text;
}

}  // namespace

std::string DumpMembers(const Node& map, std::initializer_list<std::string_view> keys) {
  std::string text;
  for (const std::string_view key : keys) {
    const Member* const member = FindMember(map, key);
    if (member != nullptr) text += fmt::format("{}: {}\n", key, Dump(member->value));
  }
  return text;
}

}  // namespace sysfleet
