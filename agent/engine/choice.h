// A choice between several values by weight. Immutable.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/database/value.h"
#include "common/random/random.h"

namespace sysfleet {

namespace v1 {
class Choice;
}

class Choice {
 public:
  /// INVALID_ARGUMENT for no item of a weight above 0, an item without a value, or integers and
  /// texts in one choice.
  static absl::StatusOr<Choice> Compile(const v1::Choice& message);

  /// One of the values; a text lives as long as this object.
  Value Draw(Random& random) const;

  bool is_text() const { return is_text_; }
  size_t text_bytes_max() const;
  /// Of the integers that can be drawn.
  std::pair<int64_t, int64_t> bounds() const;

 private:
  // Of a weight above 0; by place, the same in all.
  std::vector<int64_t> integers_;
  std::vector<std::string> texts_;
  std::vector<int64_t> cumulative_weights_;
  bool is_text_ = false;
};

}  // namespace sysfleet
