// Variables and their generators, as an order describes them, made ready to draw quickly.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/database/value.h"
#include "common/random/random.h"

namespace sysfleet {

namespace v1 {
class Generator;
}

/// One generator, compiled. Immutable; shared by all connections.
class Generator {
 public:
  enum class Kind : uint8_t { kUniform, kPattern, kUniqueId, kOffset, kRowNumber };

  /// INVALID_ARGUMENT for an empty or unknown kind, for min above max, a text longer than 1 MiB, or
  /// an offset to a variable that is not below `variables`.
  static absl::StatusOr<Generator> Compile(const v1::Generator& message, size_t variables);

  Kind kind() const { return kind_; }
  bool is_text() const { return kind_ == Kind::kPattern; }
  int64_t min() const { return first_; }
  int64_t max() const { return second_; }
  size_t base_variable() const { return static_cast<size_t>(first_); }
  int64_t addend() const { return second_; }
  const TextPattern& pattern() const { return pattern_; }

 private:
  Generator(Kind kind, int64_t first, int64_t second)
      : kind_(kind), first_(first), second_(second) {}

  Kind kind_;
  int64_t first_;   // uniform: min; offset: the other variable
  int64_t second_;  // uniform: max; offset: what is added
  TextPattern pattern_{""};
};

/// The present values of a connection's variables, or of a row's columns. Drawing allocates
/// nothing. Not thread-safe.
class Variables {
 public:
  /// `generators` must outlive this object.
  Variables(const std::vector<Generator>& generators, Random random, UniqueIds unique_ids);
  Variables(Variables&&) = default;

  /// Gives a variable a new value.
  void Draw(size_t variable);

  /// The value drawn last; 0 or empty before the first.
  const Value& operator[](size_t variable) const { return values_[variable]; }

  /// While loading: what RowNumber gives from now on, and the row's own random numbers.
  void StartRow(int64_t row, Random random) {
    row_ = row;
    random_ = random;
  }

  Random& random() { return random_; }

 private:
  const std::vector<Generator>& generators_;
  Random random_;
  UniqueIds unique_ids_;
  int64_t row_ = 0;
  std::vector<Value> values_;
  std::vector<std::unique_ptr<char[]>> texts_;  // by variable; null where it is no text
};

}  // namespace sysfleet
