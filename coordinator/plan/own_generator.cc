#include "coordinator/plan/own_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/base/status.h"
#include "coordinator/plan/formula.h"
#include "coordinator/plan/names.h"
#include "coordinator/plan/values.h"

namespace sysfleet {
namespace {

constexpr int64_t kTextMax = 100'000;
constexpr std::string_view kKinds =
    "uniform, gaussian, special, pareto, zipfian, scrambled_zipfian, pattern, text, choice or "
    "expression";

using Kind = OwnGenerator::Kind;

/// "[1, 10k]"; one number alone stands for both where `single` says so.
enum class Single : uint8_t { kRefused, kBoth };

bool ReadBounds(Section& section, std::string_view key, Range range, Single single,
                OwnGenerator& generator) {
  const auto items = section.Items(key);
  const Position position = section.Find(key)->position;
  const bool fits = items->size() == 2 || (items->size() == 1 && single == Single::kBoth);
  if (!fits) {
    section.AddError(key, position, "expected two numbers, as in [1, 1000]");
    return false;
  }
  const auto min = ReadInteger(*items->front(), section.PathOf(key), range, section.context());
  const auto max = ReadInteger(*items->back(), section.PathOf(key), range, section.context());
  if (!min || !max) return false;
  if (*min > *max) {
    section.AddError(key, position, fmt::format("{} is above {}", *min, *max));
    return false;
  }
  generator.min = *min;
  generator.max = *max;
  return true;
}

bool ReadRandom(Section& section, RandType type, OwnGenerator& generator) {
  generator.random.type = type;
  section.Read("exponent", generator.random.zipfian_exp, {0, 100, "a number from 0 to 100"});
  section.Read("h", generator.random.pareto_h, {0.001, 0.999, "a number between 0 and 1"});
  return ReadBounds(section, ToString(type), {INT64_MIN, INT64_MAX}, Single::kRefused, generator);
}

bool ReadChoices(Section& section, OwnGenerator& generator) {
  generator.kind = Kind::kChoice;
  const auto items = section.Items("choice");
  for (const Node* item : *items) {
    const auto text = ReadExpanded(*item, section.PathOf("choice"), "a value", section.context());
    if (!text) return false;
    generator.choices.push_back({.text = text->text});
    generator.are_texts = generator.are_texts || !ParseInteger(text->text);
  }
  if (generator.choices.empty()) {
    section.AddError("choice", section.Find("choice")->position, "expected at least one value");
    return false;
  }
  const auto weights = section.Items("weights");
  if (!weights) return true;
  if (weights->size() != generator.choices.size()) {
    section.AddError(
        "weights", section.Find("weights")->position,
        fmt::format("{} weights for {} values", weights->size(), generator.choices.size()));
    return false;
  }
  for (size_t i = 0; i < weights->size(); ++i) {
    const auto weight =
        ReadInteger(*(*weights)[i], section.PathOf("weights"), {0, 1'000'000}, section.context());
    if (!weight) return false;
    generator.choices[i].weight = *weight;
  }
  return true;
}

bool ReadExpression(Section& section, OwnGenerator& generator) {
  generator.kind = Kind::kFormula;
  std::string text;
  section.Read("expression", text);
  auto formula = ParseFormula(text);
  if (!formula.ok()) {
    section.AddError("expression", section.Find("expression")->position, Message(formula.status()));
    return false;
  }
  generator.formula = *std::move(formula);
  return true;
}

bool ReadOneKind(Section& section, std::string_view key, OwnGenerator& generator) {
  for (const Named<RandType>& type : RandTypeNames()) {
    if (type.name == key) return ReadRandom(section, type.value, generator);
  }
  if (key == "pattern") {
    generator.kind = Kind::kPattern;
    section.Read("pattern", generator.pattern);
    return true;
  }
  if (key == "text") {
    generator.kind = Kind::kText;
    return ReadBounds(section, key, {0, kTextMax}, Single::kBoth, generator);
  }
  if (key == "choice") return ReadChoices(section, generator);
  return ReadExpression(section, generator);
}

bool IsKind(std::string_view key) {
  if (key == "pattern" || key == "text" || key == "choice" || key == "expression") return true;
  return std::any_of(RandTypeNames().begin(), RandTypeNames().end(),
                     [key](const Named<RandType>& type) { return type.name == key; });
}

std::optional<OwnGenerator> ReadWord(const Node& node, std::string_view path, ValueOwner owner,
                                     const ReadContext& context) {
  const std::string_view special = owner == ValueOwner::kColumn ? "row" : "unique";
  const std::string expected = fmt::format("a number, '{}', or one of {}", special, kKinds);
  const auto word = ReadExpanded(node, path, expected, context);
  if (!word) return std::nullopt;
  OwnGenerator generator;
  if (word->text == special) {
    generator.kind = owner == ValueOwner::kColumn ? Kind::kRow : Kind::kUnique;
    return generator;
  }
  const auto constant = ParseInteger(word->text);
  if (!constant) {
    context.errors.Add(node.position, path,
                       fmt::format("expected {}, got {}", expected, Describe(node)));
    return std::nullopt;
  }
  generator.min = generator.max = *constant;
  return generator;
}

}  // namespace

std::optional<OwnGenerator> ReadGenerator(const Node& node, std::string_view path, ValueOwner owner,
                                          const ReadContext& context) {
  if (node.kind != NodeKind::kMap) return ReadWord(node, path, owner, context);
  Section section(&node, node.position, path, context);
  std::vector<std::string> kinds;
  for (const Member& member : node.members) {
    if (IsKind(member.key)) kinds.push_back(member.key);
  }
  if (kinds.size() != 1) {
    context.errors.Add(node.position, path, fmt::format("expected one of {}", kKinds));
    return std::nullopt;
  }
  OwnGenerator generator;
  const bool is_sound = ReadOneKind(section, kinds[0], generator);
  section.ReportUnknown();
  if (!is_sound) return std::nullopt;
  return generator;
}

}  // namespace sysfleet
