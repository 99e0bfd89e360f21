// A YAML text as a tree that knows where everything stands and keeps what YAML libraries lose:
// keys that are there twice. Values; pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sysfleet {

/// Where something stands: in the plan's file, or in an override from the command line.
struct Position {
  /// Counted from 1.
  int line = 1;
  int column = 1;
  /// The override's place in the list of overrides; kInFile for the file.
  int override_index = kInFile;

  static constexpr int kInFile = -1;
};

enum class NodeKind : uint8_t { kNull, kScalar, kList, kMap };

struct Member;

struct Node {
  NodeKind kind = NodeKind::kNull;
  /// Of a missing value: its key's.
  Position position;
  std::string text;             // kScalar
  std::vector<Node> items;      // kList
  std::vector<Member> members;  // kMap
};

struct Member {
  /// With '_' for every '-'.
  std::string key;
  Position key_position;
  Node value;
};

/// What is wrong with a text as such.
struct DocumentError {
  Position position;
  std::string message;
};

/// Parses one YAML document. An empty text gives a null node. Aliases and keys that are no plain
/// text are refused.
std::variant<Node, DocumentError> LoadDocument(std::string_view text);

/// The first member with a key; nullptr where there is none.
const Member* FindMember(const Node& map, std::string_view key);
Member* FindMember(Node& map, std::string_view key);

/// The node at a dotted path; nullptr where there is none.
const Node* FindNode(const Node& root, std::string_view path);

/// Where a value stands; for one that is not there, the key of the innermost section around it.
Position PositionOf(const Node& root, std::string_view path);

/// "table-size" becomes "table_size": sysbench takes either.
std::string NormalKey(std::string_view key);

}  // namespace sysfleet
