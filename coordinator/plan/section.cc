#include "coordinator/plan/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "common/base/status.h"
#include "common/base/text.h"
#include "coordinator/plan/encoding.h"
#include "coordinator/plan/suggest.h"
#include "coordinator/plan/values.h"

namespace sysfleet {
namespace {

// A cell that is longer than a year is a mistake.
constexpr int64_t kDurationMaxS = 365 * 24 * 3600;

void Refuse(const Node& node, std::string_view path, std::string_view expected,
            const ReadContext& context) {
  context.errors.Add(node.position, path,
                     fmt::format("expected {}, got {}", expected, Describe(node)));
}

std::string Describe(Range range) {
  const std::string bounds =
      range.max == INT64_MAX ? fmt::format("of at least {}", Grouped(range.min))
                             : fmt::format("from {} to {}", Grouped(range.min), Grouped(range.max));
  const std::string reason = range.reason.empty() ? "" : fmt::format(" ({})", range.reason);
  return fmt::format("a whole number {}{}", bounds, reason);
}

}  // namespace

std::string Describe(const Node& node) {
  switch (node.kind) {
    case NodeKind::kNull:
      return "nothing";
    case NodeKind::kList:
      return "a list";
    case NodeKind::kMap:
      return "a section";
    case NodeKind::kScalar:
      break;
  }
  const bool refers = node.text.find("${") != std::string::npos;
  return fmt::format("{}'{}'", refers ? "the value of " : "", ForMessage(node.text));
}

std::optional<ExpandedText> ReadExpanded(const Node& node, std::string_view path,
                                         std::string_view expected, const ReadContext& context) {
  if (node.kind != NodeKind::kScalar) {
    Refuse(node, path, expected, context);
    return std::nullopt;
  }
  absl::StatusOr<ExpandedText> expanded = Expand(node.text, context.directory);
  if (!expanded.ok()) {
    context.errors.Add(node.position, path, Message(expanded.status()));
    return std::nullopt;
  }
  if (expanded->text.find('\0') != std::string::npos) {
    context.errors.Add(node.position, path, "a NUL character is not possible here");
    return std::nullopt;
  }
  return *std::move(expanded);
}

std::optional<int64_t> ReadInteger(const Node& node, std::string_view path, Range range,
                                   const ReadContext& context) {
  const std::string expected = Describe(range);
  const auto expanded = ReadExpanded(node, path, expected, context);
  if (!expanded) return std::nullopt;
  const std::optional<int64_t> number = ParseInteger(expanded->text);
  if (number && *number >= range.min && *number <= range.max) return number;
  Refuse(node, path, expected, context);
  return std::nullopt;
}

Section::Section(const Node* node, Position position, std::string_view path,
                 const ReadContext& context)
    : node_(nullptr), position_(position), path_(path), context_(&context) {
  if (node == nullptr || node->kind == NodeKind::kNull) return;
  if (node->kind != NodeKind::kMap) {
    Refuse(*node, path_, "a section of keys and values", context);
    return;
  }
  node_ = node;
  ReportDuplicates();
}

Section Section::Sub(std::string_view key) {
  const Node* const node = Find(key);
  if (node == nullptr) return {nullptr, position_, PathOf(key), *context_};
  return {node, FindMember(*node_, key)->key_position, PathOf(key), *context_};
}

std::string Section::PathOf(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

const Node* Section::Find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  if (node_ == nullptr) return nullptr;
  const Member* const member = FindMember(*node_, key);
  return member == nullptr ? nullptr : &member->value;
}

std::optional<std::vector<const Node*>> Section::Items(std::string_view key) {
  const Node* const node = Find(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind != NodeKind::kList) return std::vector<const Node*>{node};
  std::vector<const Node*> items;
  items.reserve(node->items.size());
  for (const Node& item : node->items) items.push_back(&item);
  return items;
}

void Section::Read(std::string_view key, std::string& text) {
  const Node* const node = Find(key);
  if (node == nullptr) return;
  if (auto expanded = ReadExpanded(*node, PathOf(key), "a text", *context_)) {
    text = std::move(expanded->text);
  }
}

void Section::Read(std::string_view key, bool& value) {
  constexpr std::string_view kExpected = "on or off";
  const Node* const node = Find(key);
  if (node == nullptr) return;
  const auto expanded = ReadExpanded(*node, PathOf(key), kExpected, *context_);
  if (!expanded) return;
  if (const std::optional<bool> parsed = ParseSwitch(expanded->text)) {
    value = *parsed;
  } else {
    Refuse(*node, PathOf(key), kExpected, *context_);
  }
}

void Section::Read(std::string_view key, double& number, DecimalRange range) {
  const Node* const node = Find(key);
  if (node == nullptr) return;
  const auto expanded = ReadExpanded(*node, PathOf(key), range.expected, *context_);
  if (!expanded) return;
  const std::optional<double> parsed = ParseDecimal(expanded->text);
  if (parsed && *parsed >= range.min && *parsed <= range.max) {
    number = *parsed;
  } else {
    Refuse(*node, PathOf(key), range.expected, *context_);
  }
}

void Section::Read(std::string_view key, std::chrono::seconds& duration, int64_t min_s) {
  constexpr std::string_view kExpected = "a duration such as 600s or 10m";
  const Node* const node = Find(key);
  if (node == nullptr) return;
  const auto expanded = ReadExpanded(*node, PathOf(key), kExpected, *context_);
  if (!expanded) return;
  const std::optional<std::chrono::seconds> parsed = ParseDuration(expanded->text);
  if (!parsed) {
    Refuse(*node, PathOf(key), kExpected, *context_);
  } else if (parsed->count() < min_s || parsed->count() > kDurationMaxS) {
    Refuse(*node, PathOf(key),
           fmt::format("a duration from {}s to {}h (a year)", min_s, kDurationMaxS / 3600),
           *context_);
  } else {
    duration = *parsed;
  }
}

std::optional<size_t> Section::ReadWord(const Node& node, std::string_view path,
                                        std::span<const std::string_view> words) const {
  const std::string expected = fmt::format("one of {}", fmt::join(words, ", "));
  const auto expanded = ReadExpanded(node, path, expected, *context_);
  if (!expanded) return std::nullopt;
  const std::string word = NormalKey(expanded->text);
  if (const auto found = std::find(words.begin(), words.end(), word); found != words.end()) {
    return static_cast<size_t>(found - words.begin());
  }
  Refuse(node, path, expected, *context_);
  return std::nullopt;
}

void Section::ReportDuplicates() const {
  std::unordered_set<std::string_view> seen;
  for (const Member& member : node_->members) {
    if (seen.insert(member.key).second) continue;
    const Position& first = FindMember(*node_, member.key)->key_position;
    const std::string message =
        first.override_index == Position::kInFile
            ? fmt::format("key is there twice; the first is in line {}", first.line)
            : "key is there twice";
    AddError(ForMessage(member.key), member.key_position, message);
  }
}

void Section::ReportUnknown() const {
  if (node_ == nullptr) return;
  for (const Member& member : node_->members) {
    if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
    AddError(ForMessage(member.key), member.key_position,
             fmt::format("unknown key; {}", Suggestion(member.key, known_)));
  }
}

}  // namespace sysfleet
