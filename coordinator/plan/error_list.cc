#include "coordinator/plan/error_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "coordinator/plan/encoding.h"

namespace sysfleet {

void ErrorList::Add(const Position& position, std::string_view path, std::string_view message) {
  errors_.push_back({position, std::string(path),
                     path.empty() ? std::string(message) : fmt::format("{}: {}", path, message)});
}

bool ErrorList::Has(std::string_view path) const {
  return std::any_of(errors_.begin(), errors_.end(),
                     [&](const Entry& error) { return error.path == path; });
}

std::vector<PlanError> ErrorList::Sorted() const {
  std::vector<Entry> sorted = errors_;
  const auto place = [](const Entry& error) {
    const Position& position = error.position;
    return std::tuple(position.override_index, position.line, position.column);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Entry& a, const Entry& b) { return place(a) < place(b); });
  std::vector<PlanError> errors;
  errors.reserve(sorted.size());
  for (const Entry& error : sorted) errors.push_back({Where(error.position), error.message});
  return errors;
}

std::string ErrorList::Where(const Position& position) const {
  if (position.override_index == Position::kInFile) {
    return fmt::format("{}:{}:{}", name_, position.line, position.column);
  }
  std::string_view text = overrides_[static_cast<size_t>(position.override_index)];
  // What is set below `database` may be a password.
  if (text.starts_with("database")) text = text.substr(0, text.find('='));
  return fmt::format("--set {}", ForMessage(text));
}

}  // namespace sysfleet
