#include "coordinator/plan/document.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "coordinator/plan/encoding.h"

namespace sysfleet {
namespace {

Position ToPosition(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1, Position::kInFile};
}

/// Builds the tree from the parser's events. Throws the parser's exception for what a plan may not
/// hold; LoadDocument catches it.
class TreeBuilder : public YAML::EventHandler {
 public:
  Node TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    RefuseAsKey(mark);
    Put({NodeKind::kNull, ValuePosition(mark), {}, {}, {}});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw YAML::ParserException(mark, "an alias (*) is not known in plans; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    if (WantsKey()) {
      open_.back().key = NormalKey(value);
      open_.back().key_position = ToPosition(mark);
    } else {
      Put({NodeKind::kScalar, ToPosition(mark), value, {}, {}});
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    Open(NodeKind::kList, mark);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Open(NodeKind::kMap, mark);
  }
  void OnMapEnd() override { Close(); }

 private:
  /// A list or map whose end has not come yet, and the key whose value comes next.
  struct OpenNode {
    Node node;
    std::optional<std::string> key;
    Position key_position;
  };

  bool WantsKey() const {
    return !open_.empty() && open_.back().node.kind == NodeKind::kMap && !open_.back().key;
  }

  void RefuseAsKey(const YAML::Mark& mark) const {
    if (WantsKey())
      throw YAML::ParserException(mark, "expected a plain word as a key; is a bracket not closed?");
  }

  /// YAML places a value that is not there wherever the next thing begins.
  Position ValuePosition(const YAML::Mark& mark) const {
    return !open_.empty() && open_.back().key ? open_.back().key_position : ToPosition(mark);
  }

  void Open(NodeKind kind, const YAML::Mark& mark) {
    RefuseAsKey(mark);
    open_.push_back({{kind, ToPosition(mark), {}, {}, {}}, std::nullopt, {}});
  }

  void Close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    Put(std::move(node));
  }

  void Put(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node.kind == NodeKind::kList) {
      parent.node.items.push_back(std::move(node));
    } else {
      parent.node.members.push_back({*parent.key, parent.key_position, std::move(node)});
      parent.key.reset();
    }
  }

  std::vector<OpenNode> open_;
  Node root_;
};

std::string_view LineOf(std::string_view text, int line) {
  for (int skipped = 1; skipped < line; ++skipped) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// The parser's own words, but for the two mistakes that they do not explain.
DocumentError Explain(const YAML::Exception& error, std::string_view text) {
  Position position = ToPosition(error.mark);
  const std::string_view line = LineOf(text, position.line);
  const size_t tab = line.substr(0, line.find_first_not_of(" \t")).find('\t');
  if (tab != std::string_view::npos) {
    position.column = static_cast<int>(tab) + 1;
    return {position, "YAML: a tab in the indentation; use spaces"};
  }
  const auto column = static_cast<size_t>(position.column - 1);
  if (column > 0 && line.substr(column - 1).starts_with("${")) {
    --position.column;
    return {position, "YAML: within [ ] and { }, put ${…} in double quotes"};
  }
  if (dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr) {
    return {position, "YAML: nested too deeply"};
  }
  return {position, "YAML: " + error.msg};
}

}  // namespace

std::variant<Node, DocumentError> LoadDocument(std::string_view text) {
  if (const std::optional<DocumentError> problem = FindBinary(text)) return *problem;
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    TreeBuilder first;
    if (!parser.HandleNextDocument(first)) return Node{};
    TreeBuilder second;
    if (parser.HandleNextDocument(second)) {
      return DocumentError{second.TakeRoot().position, "YAML: a second document; a plan is one"};
    }
    return first.TakeRoot();
  } catch (const YAML::Exception& error) {
    return Explain(error, text);
  }
}

const Member* FindMember(const Node& map, std::string_view key) {
  const auto found = std::find_if(map.members.begin(), map.members.end(),
                                  [&](const Member& member) { return member.key == key; });
  return found == map.members.end() ? nullptr : &*found;
}

Member* FindMember(Node& map, std::string_view key) {
  return const_cast<Member*>(FindMember(std::as_const(map), key));
}

const Node* FindNode(const Node& root, std::string_view path) {
  const Node* node = &root;
  while (true) {
    const size_t dot = path.find('.');
    const Member* const member = FindMember(*node, path.substr(0, dot));
    if (member == nullptr) return nullptr;
    node = &member->value;
    if (dot == std::string_view::npos) return node;
    path.remove_prefix(dot + 1);
  }
}

Position PositionOf(const Node& root, std::string_view path) {
  Position position;
  const Node* node = &root;
  while (true) {
    const size_t dot = path.find('.');
    const Member* const member = FindMember(*node, path.substr(0, dot));
    if (member == nullptr) return position;
    if (dot == std::string_view::npos) return member->value.position;
    position = member->key_position;
    node = &member->value;
    path.remove_prefix(dot + 1);
  }
}

std::string NormalKey(std::string_view key) {
  std::string normal(key);
  std::replace(normal.begin(), normal.end(), '-', '_');
  return normal;
}

}  // namespace sysfleet
