// Variables and their generators, as an order describes them, made ready to draw quickly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/database/value.h"
#include "agent/engine/choice.h"
#include "agent/engine/expression.h"
#include "common/random/distribution.h"
#include "common/random/random.h"

namespace sysfleet {

namespace v1 {
class Generator;
}

/// One generator, compiled. Immutable; shared by all connections.
class Generator {
 public:
  /// In the order of Rule's alternatives.
  enum class Kind : uint8_t {
    kUniform,
    kPattern,
    kUniqueId,
    kOffset,
    kRowNumber,
    kGaussian,
    kSpecial,
    kPareto,
    kZipfian,
    kChoice,
    kExpression,
    kSlice,
    kConnection,
    kCounter,
    kCaptured,
    kRandomText,
  };

  struct Uniform {
    int64_t min;
    int64_t max;
  };
  struct UniqueId {
    bool wide;
  };
  struct Offset {
    size_t variable;
    int64_t addend;
  };
  struct RowNumber {};
  struct Slice {
    int64_t size;
  };
  struct Connection {
    int64_t modulus;
  };
  struct Counter {};
  struct Captured {
    bool is_text;
  };
  using Rule = std::variant<Uniform, TextPattern, UniqueId, Offset, RowNumber, GaussianDistribution,
                            SpecialDistribution, ParetoDistribution, ZipfianDistribution, Choice,
                            Expression, Slice, Connection, Counter, Captured, AlphabetText>;

  /// INVALID_ARGUMENT for an empty or unknown kind, for parameters out of their range (min above
  /// max, a text longer than 1 MiB), or a reference to a variable that is not below `variables`.
  static absl::StatusOr<Generator> Compile(const v1::Generator& message, size_t variables);

  Kind kind() const { return static_cast<Kind>(rule_.index()); }
  const Rule& rule() const { return rule_; }

  bool is_text() const;

  /// No text that it draws is longer; 0 for integers, and for what is captured, which has no limit.
  size_t text_bytes_max() const;

  /// The least and the greatest integer that it can draw, where that is known beforehand.
  std::optional<std::pair<int64_t, int64_t>> bounds() const;

  /// The variables whose present values it uses.
  std::vector<size_t> References() const;

 private:
  explicit Generator(Rule rule) : rule_(std::move(rule)) {}

  Rule rule_;
};

/// INVALID_ARGUMENT where one of `generators`, which are all variables, calculates with a text.
absl::Status CheckReferences(std::span<const Generator> generators);

/// Which of the fleet's connections this is: `number` from 0 to `of` - 1.
struct ConnectionIdentity {
  int64_t number = 0;
  int64_t of = 1;
};

/// The present values of a connection's variables, or of a row's columns. Drawing allocates
/// nothing. Not thread-safe.
class Variables {
 public:
  /// `generators` must outlive this object.
  Variables(const std::vector<Generator>& generators, Random random, UniqueIds unique_ids,
            ConnectionIdentity connection = {});
  Variables(Variables&&) = default;

  /// Gives a variable a new value; a captured one keeps its own.
  void Draw(size_t variable);

  /// What a captured variable has from now on, in its own type; a text is copied.
  void Set(size_t variable, int64_t value) { values_[variable].integer = value; }
  void Set(size_t variable, std::string_view text);

  /// The value drawn last; 0 or empty before the first. A text is valid until its variable is drawn
  /// or set again.
  const Value& operator[](size_t variable) const { return values_[variable]; }

  /// While loading: what RowNumber gives from now on, and the row's own random numbers.
  void StartRow(int64_t row, Random random) {
    row_ = row;
    random_ = random;
  }

  Random& random() { return random_; }

 private:
  struct Drawer;

  const std::vector<Generator>& generators_;
  Random random_;
  UniqueIds unique_ids_;
  ConnectionIdentity connection_;
  int64_t row_ = 0;
  std::vector<Value> values_;
  // By variable. Room for what is generated or captured; what is chosen stays where it is.
  std::vector<std::string> texts_;
};

}  // namespace sysfleet
