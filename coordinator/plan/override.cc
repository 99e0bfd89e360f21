#include "coordinator/plan/override.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace sysfleet {
namespace {

/// All of an override's value stands in the override.
void Move(Node& node, const Position& position) {
  node.position = position;
  for (Node& item : node.items) Move(item, position);
  for (Member& member : node.members) {
    member.key_position = position;
    Move(member.value, position);
  }
}

/// The member of `map` with this key, a new one where there is none.
Member& Demand(Node& map, std::string_view key, const Position& position) {
  if (Member* const member = FindMember(map, key)) return *member;
  map.members.push_back({std::string(key), position, {NodeKind::kNull, position, {}, {}, {}}});
  return map.members.back();
}

}  // namespace

void ApplyOverride(std::string_view text, int index, Node& root, ErrorList& errors) {
  const Position position{1, 1, index};
  const size_t equals = text.find('=');
  const std::string path = NormalKey(text.substr(0, equals));
  if (equals == std::string_view::npos || path.empty() || path.starts_with('.') ||
      path.ends_with('.') || path.find("..") != std::string::npos) {
    errors.Add(position, "", "expected KEY=VALUE, as in run.time=5s");
    return;
  }
  auto document = LoadDocument(text.substr(equals + 1));
  if (const auto* const problem = std::get_if<DocumentError>(&document)) {
    errors.Add(position, path, problem->message);
    return;
  }
  Node value = std::get<Node>(std::move(document));
  if (equals + 1 == text.size()) value.kind = NodeKind::kScalar;
  Move(value, position);

  Node* section = &root;
  std::string_view rest = path;
  while (true) {
    if (section->kind == NodeKind::kNull) section->kind = NodeKind::kMap;
    if (section->kind != NodeKind::kMap) {
      const std::string_view above =
          std::string_view(path).substr(0, path.size() - rest.size() - 1);
      errors.Add(position, path,
                 fmt::format("'{}' has no keys below it; set it as a whole", above));
      return;
    }
    const size_t dot = rest.find('.');
    Member& member = Demand(*section, rest.substr(0, dot), position);
    if (dot == std::string_view::npos) {
      member.key_position = position;
      member.value = std::move(value);
      return;
    }
    section = &member.value;
    rest.remove_prefix(dot + 1);
  }
}

}  // namespace sysfleet
