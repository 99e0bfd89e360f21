// Reads one section of a plan: typed values by key, with an error in place for everything that does
// not fit. Keys that were asked for are the known ones; ReportUnknown tells about the others.
//
// A value that is wrong or not there leaves the variable as it was. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/plan/document.h"
#include "coordinator/plan/error_list.h"
#include "coordinator/plan/expand.h"
#include "coordinator/plan/names.h"

namespace sysfleet {

struct ReadContext {
  ErrorList& errors;
  /// The plan's own, for relative paths.
  std::string directory;
};

/// Both included; `reason` says in messages why, where that is not plain.
struct Range {
  int64_t min = 0;
  int64_t max = INT64_MAX;
  std::string_view reason;
};

/// Both included; `expected` completes "expected …".
struct DecimalRange {
  double min;
  double max;
  std::string_view expected;
};

/// "'ten'", "a list", "nothing"; for a value that holds a reference, its text in the plan.
std::string Describe(const Node& node);

// One value that stands at `node`. Each adds an error and gives nothing where it does not fit.
// `path` is the dotted key; `expected` completes "expected …".
std::optional<ExpandedText> ReadExpanded(const Node& node, std::string_view path,
                                         std::string_view expected, const ReadContext& context);
std::optional<int64_t> ReadInteger(const Node& node, std::string_view path, Range range,
                                   const ReadContext& context);

class Section {
 public:
  /// `node` is a map, null or nullptr (which read as an empty section), or something else, which
  /// is an error. Keys that are there twice are errors at once. Node and context must outlive the
  /// section.
  Section(const Node* node, Position position, std::string_view path, const ReadContext& context);

  /// A section within this one; where it is not there, this one's position stands for it.
  Section Sub(std::string_view key);

  const Position& position() const { return position_; }
  const ReadContext& context() const { return *context_; }

  /// "run.threads"
  std::string PathOf(std::string_view key) const;

  /// The value of a key, nullptr where it is not there.
  const Node* Find(std::string_view key);

  /// What is listed under a key; one value alone counts as a list of one. Nothing where the key is
  /// not there; a map alone counts as an item.
  std::optional<std::vector<const Node*>> Items(std::string_view key);

  void Read(std::string_view key, std::string& text);
  void Read(std::string_view key, bool& value);
  void Read(std::string_view key, std::chrono::seconds& duration, int64_t min_s);
  void Read(std::string_view key, double& number, DecimalRange range);
  template <typename Integer>
  void Read(std::string_view key, Integer& number, Range range) {
    const Node* const node = Find(key);
    if (node == nullptr) return;
    if (const auto value = ReadInteger(*node, PathOf(key), range, *context_)) {
      number = static_cast<Integer>(*value);
    }
  }
  template <typename Value>
  void Read(std::string_view key, Value& value, std::span<const Named<Value>> names) {
    const Node* const node = Find(key);
    if (node == nullptr) return;
    std::vector<std::string_view> words;
    words.reserve(names.size());
    for (const Named<Value>& name : names) words.push_back(name.name);
    if (const auto index = ReadWord(*node, PathOf(key), words)) value = names[*index].value;
  }

  /// Adds an error for a key of this section.
  void AddError(std::string_view key, const Position& position, std::string_view message) const {
    context_->errors.Add(position, PathOf(key), message);
  }

  void ReportUnknown() const;

 private:
  std::optional<size_t> ReadWord(const Node& node, std::string_view path,
                                 std::span<const std::string_view> words) const;
  void ReportDuplicates() const;

  const Node* node_;  // a map or nullptr
  Position position_;
  std::string path_;
  const ReadContext* context_;
  std::vector<std::string_view> known_;
};

}  // namespace sysfleet
