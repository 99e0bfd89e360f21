// Collects a plan's mistakes, and gives them back in the order in which a person reads the file.
// Not thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/plan/document.h"
#include "coordinator/plan/parse.h"

namespace sysfleet {

class ErrorList {
 public:
  /// `name` is the file's; `overrides` are those that positions may refer to. Both must outlive the
  /// list.
  ErrorList(std::string_view name, std::span<const std::string> overrides)
      : name_(name), overrides_(overrides) {}

  /// `path` is the dotted key that the message is about; empty where it is about the whole.
  void Add(const Position& position, std::string_view path, std::string_view message);

  bool empty() const { return errors_.empty(); }

  /// Whether something was wrong with this very key, so that nothing can be concluded from it.
  bool Has(std::string_view path) const;

  /// By line and column, then those of overrides in their order.
  std::vector<PlanError> Sorted() const;

 private:
  struct Entry {
    Position position;
    std::string path;
    std::string message;
  };

  std::string Where(const Position& position) const;

  std::string_view name_;
  std::span<const std::string> overrides_;
  std::vector<Entry> errors_;
};

}  // namespace sysfleet
