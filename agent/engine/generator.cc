#include "agent/engine/generator.h"

#include <fmt/format.h>

#include <cmath>

#include "absl/status/status.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

constexpr size_t kTextLimit = 1 << 20;
constexpr size_t kAlphabetLimit = 128;
// A draw takes time in proportion.
constexpr uint32_t kIterationsMax = 1000;
constexpr uint32_t kPercentMax = 100;

constexpr std::string_view kDefaultAlphabet = "abcdefghijklmnopqrstuvwxyz";

using RuleOr = absl::StatusOr<Generator::Rule>;

absl::Status Invalid(std::string message) {
  return absl::InvalidArgumentError(message);
}

template <typename Message>
absl::Status CheckRange(std::string_view name, const Message& message) {
  if (message.min() <= message.max()) return absl::OkStatus();
  return Invalid(fmt::format("{}({}, {}): the minimum is above the maximum", name, message.min(),
                             message.max()));
}

// Distributions calculate with how many integers there are.
template <typename Message>
absl::Status CheckCount(std::string_view name, const Message& message) {
  if (absl::Status status = CheckRange(name, message); !status.ok()) return status;
  const uint64_t distance =
      static_cast<uint64_t>(message.max()) - static_cast<uint64_t>(message.min());
  if (distance <= static_cast<uint64_t>(INT64_MAX)) return absl::OkStatus();
  return Invalid(
      fmt::format("{}({}, {}): more than 2^63 integers", name, message.min(), message.max()));
}

absl::Status CheckIterations(uint32_t iterations) {
  if (iterations >= 1 && iterations <= kIterationsMax) return absl::OkStatus();
  return Invalid(
      fmt::format("{} iterations: from 1 to {} are possible", iterations, kIterationsMax));
}

RuleOr CompileRule(const v1::Uniform& uniform) {
  if (absl::Status status = CheckRange("uniform", uniform); !status.ok()) return status;
  return Generator::Uniform{uniform.min(), uniform.max()};
}

RuleOr CompileRule(const v1::Gaussian& gaussian) {
  if (absl::Status status = CheckCount("gaussian", gaussian); !status.ok()) return status;
  if (absl::Status status = CheckIterations(gaussian.iterations()); !status.ok()) return status;
  return GaussianDistribution(gaussian.min(), gaussian.max(), gaussian.iterations());
}

RuleOr CompileRule(const v1::Special& special) {
  if (absl::Status status = CheckCount("special", special); !status.ok()) return status;
  if (absl::Status status = CheckIterations(special.iterations()); !status.ok()) return status;
  if (special.hot_width_percent() > kPercentMax || special.hot_percent() > kPercentMax) {
    return Invalid("special: more than 100 percent");
  }
  return SpecialDistribution(special.min(), special.max(), special.iterations(),
                             special.hot_width_percent(), special.hot_percent());
}

RuleOr CompileRule(const v1::Pareto& pareto) {
  if (absl::Status status = CheckCount("pareto", pareto); !status.ok()) return status;
  if (!(pareto.h() > 0 && pareto.h() < 1)) {
    return Invalid(fmt::format("pareto: h is {}, not between 0 and 1", pareto.h()));
  }
  return ParetoDistribution(pareto.min(), pareto.max(), pareto.h());
}

RuleOr CompileRule(const v1::Zipfian& zipfian) {
  if (absl::Status status = CheckCount("zipfian", zipfian); !status.ok()) return status;
  if (!std::isfinite(zipfian.exponent()) || zipfian.exponent() < 0) {
    return Invalid(
        fmt::format("zipfian: the exponent is {}, below 0 or no number", zipfian.exponent()));
  }
  using Order = ZipfianDistribution::Order;
  return ZipfianDistribution(zipfian.min(), zipfian.max(), zipfian.exponent(),
                             zipfian.scrambled() ? Order::kScrambled : Order::kHotFirst);
}

RuleOr CompileRule(const v1::Pattern& pattern) {
  if (pattern.text().size() > kTextLimit) return Invalid("pattern: longer than 1 MiB");
  return TextPattern(pattern.text());
}

RuleOr CompileRule(const v1::UniqueId& unique_id) {
  if (unique_id.bits() != 0 && unique_id.bits() != 32 && unique_id.bits() != 64) {
    return Invalid(fmt::format("unique id: of {} bits, not 32 or 64", unique_id.bits()));
  }
  return Generator::UniqueId{unique_id.bits() == 64};
}

RuleOr CompileRule(const v1::Offset& offset, size_t variables) {
  if (offset.variable() >= variables) {
    return Invalid(fmt::format("offset: there is no variable {}", offset.variable()));
  }
  return Generator::Offset{offset.variable(), offset.addend()};
}

template <typename Part>
RuleOr AsRule(absl::StatusOr<Part> part) {
  if (!part.ok()) return part.status();
  return *std::move(part);
}

RuleOr CompileRule(const v1::Slice& slice) {
  if (slice.size() < 0) return Invalid(fmt::format("slice: the size {} is below 0", slice.size()));
  return Generator::Slice{slice.size()};
}

RuleOr CompileRule(const v1::Connection& connection) {
  if (connection.modulus() == 0) return Invalid("connection: the modulus is 0");
  return Generator::Connection{connection.modulus()};
}

RuleOr CompileRule(const v1::Captured& captured) {
  switch (captured.type()) {
    case v1::COLUMN_TYPE_INT32:
    case v1::COLUMN_TYPE_INT64:
      return Generator::Captured{false};
    case v1::COLUMN_TYPE_TEXT:
      return Generator::Captured{true};
    default:
      return Invalid("captured: of an unknown type");
  }
}

RuleOr CompileRule(const v1::RandomText& text) {
  if (text.length_min() > text.length_max()) {
    return Invalid(fmt::format("random text: the least length {} is above the greatest {}",
                               text.length_min(), text.length_max()));
  }
  if (text.length_max() > kTextLimit) return Invalid("random text: longer than 1 MiB");
  const std::string_view alphabet = text.alphabet().empty() ? kDefaultAlphabet : text.alphabet();
  if (alphabet.size() > kAlphabetLimit) {
    return Invalid(fmt::format("random text: more than {} characters", kAlphabetLimit));
  }
  for (const char c : alphabet) {
    if (c == '\0' || static_cast<unsigned char>(c) > 0x7f) {
      return Invalid("random text: a character that is NUL or not ASCII");
    }
  }
  return AlphabetText(text.length_min(), text.length_max(), alphabet);
}

RuleOr CompileRule(const v1::Generator& message, size_t variables) {
  switch (message.kind_case()) {
    case v1::Generator::kUniform:
      return CompileRule(message.uniform());
    case v1::Generator::kPattern:
      return CompileRule(message.pattern());
    case v1::Generator::kUniqueId:
      return CompileRule(message.unique_id());
    case v1::Generator::kOffset:
      return CompileRule(message.offset(), variables);
    case v1::Generator::kRowNumber:
      return Generator::RowNumber{};
    case v1::Generator::kGaussian:
      return CompileRule(message.gaussian());
    case v1::Generator::kSpecial:
      return CompileRule(message.special());
    case v1::Generator::kPareto:
      return CompileRule(message.pareto());
    case v1::Generator::kZipfian:
      return CompileRule(message.zipfian());
    case v1::Generator::kChoice:
      return AsRule(Choice::Compile(message.choice()));
    case v1::Generator::kExpression:
      return AsRule(Expression::Compile(message.expression(), variables));
    case v1::Generator::kSlice:
      return CompileRule(message.slice());
    case v1::Generator::kConnection:
      return CompileRule(message.connection());
    case v1::Generator::kCounter:
      return Generator::Counter{};
    case v1::Generator::kCaptured:
      return CompileRule(message.captured());
    case v1::Generator::kRandomText:
      return CompileRule(message.random_text());
    case v1::Generator::KIND_NOT_SET:
      break;
  }
  return Invalid("a variable without a known generator");
}

using Bounds = std::optional<std::pair<int64_t, int64_t>>;

struct BoundsOf {
  Bounds operator()(const Generator::Uniform& rule) const { return {{rule.min, rule.max}}; }
  Bounds operator()(const Generator::Connection& rule) const { return {{1, rule.modulus}}; }
  Bounds operator()(const Choice& rule) const {
    return rule.is_text() ? std::nullopt : Bounds(rule.bounds());
  }
  template <typename Rule>
  Bounds operator()(const Rule& rule) const {
    if constexpr (requires { rule.max(); }) {
      return {{rule.min(), rule.max()}};
    } else {
      return std::nullopt;
    }
  }
};

}  // namespace

absl::StatusOr<Generator> Generator::Compile(const v1::Generator& message, size_t variables) {
  RuleOr rule = CompileRule(message, variables);
  if (!rule.ok()) return rule.status();
  return Generator(*std::move(rule));
}

bool Generator::is_text() const {
  if (const auto* choice = std::get_if<Choice>(&rule_)) return choice->is_text();
  if (const auto* captured = std::get_if<Captured>(&rule_)) return captured->is_text;
  return kind() == Kind::kPattern || kind() == Kind::kRandomText;
}

size_t Generator::text_bytes_max() const {
  if (const auto* pattern = std::get_if<TextPattern>(&rule_)) return pattern->size();
  if (const auto* text = std::get_if<AlphabetText>(&rule_)) return text->length_max();
  if (const auto* choice = std::get_if<Choice>(&rule_)) return choice->text_bytes_max();
  return 0;
}

std::optional<std::pair<int64_t, int64_t>> Generator::bounds() const {
  return std::visit(BoundsOf{}, rule_);
}

std::vector<size_t> Generator::References() const {
  if (const auto* offset = std::get_if<Offset>(&rule_)) return {offset->variable};
  if (const auto* expression = std::get_if<Expression>(&rule_)) return expression->References();
  return {};
}

absl::Status CheckReferences(std::span<const Generator> generators) {
  for (const Generator& generator : generators) {
    for (const size_t variable : generator.References()) {
      if (generators[variable].is_text()) {
        return Invalid(fmt::format("calculates with variable {}, which is a text", variable));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace sysfleet
