#include "agent/engine/choice.h"

#include <algorithm>

#include "absl/status/status.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {

absl::StatusOr<Choice> Choice::Compile(const v1::Choice& message) {
  Choice choice;
  int64_t weights = 0;
  for (const v1::Choice::Item& item : message.items()) {
    if (item.value_case() == v1::Choice::Item::VALUE_NOT_SET) {
      return absl::InvalidArgumentError("choice: an item without a value");
    }
    if (item.has_text() != message.items(0).has_text()) {
      return absl::InvalidArgumentError("choice: integers and texts in one");
    }
    if (item.weight() == 0) continue;
    weights += item.weight();
    choice.cumulative_weights_.push_back(weights);
    choice.integers_.push_back(item.integer());
    choice.texts_.push_back(item.text());
  }
  if (weights == 0) return absl::InvalidArgumentError("choice: no item with a weight above 0");
  choice.is_text_ = message.items(0).has_text();
  return choice;
}

Value Choice::Draw(Random& random) const {
  const int64_t point = random.Uniform(0, cumulative_weights_.back() - 1);
  const auto found =
      std::upper_bound(cumulative_weights_.begin(), cumulative_weights_.end(), point);
  const auto place = static_cast<size_t>(found - cumulative_weights_.begin());
  return {.integer = integers_[place], .text = texts_[place]};
}

size_t Choice::text_bytes_max() const {
  size_t bytes = 0;
  for (const std::string& text : texts_) bytes = std::max(bytes, text.size());
  return bytes;
}

std::pair<int64_t, int64_t> Choice::bounds() const {
  const auto [min, max] = std::minmax_element(integers_.begin(), integers_.end());
  return {*min, *max};
}

}  // namespace sysfleet
