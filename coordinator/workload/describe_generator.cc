#include "coordinator/workload/describe_generator.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sysfleet {
namespace {

// Longer patterns are cut: what matters is their form and length.
constexpr size_t kPatternShown = 24;
constexpr int kItemsShown = 6;

std::string NameOf(const v1::Workload& workload, uint32_t variable) {
  return workload.variables(static_cast<int>(variable)).name();
}

std::string DescribePattern(const std::string& text) {
  const bool cut = text.size() > kPatternShown;
  return fmt::format("text \"{}{}\", {} characters{}{}", text.substr(0, kPatternShown),
                     cut ? "…" : "", text.size(),
                     text.find('#') != std::string::npos ? ", # is any digit" : "",
                     text.find('@') != std::string::npos ? ", @ is any letter" : "");
}

std::string DescribeOffset(const v1::Workload& workload, const v1::Offset& offset) {
  const bool negative = offset.addend() < 0;
  const auto addend = static_cast<uint64_t>(offset.addend());
  return fmt::format("{} {} {}", NameOf(workload, offset.variable()), negative ? '-' : '+',
                     negative ? 0 - addend : addend);
}

std::string DescribeZipfian(const v1::Zipfian& zipfian) {
  return fmt::format("zipfian({}, {}), exponent {}, {}", zipfian.min(), zipfian.max(),
                     zipfian.exponent(), zipfian.scrambled() ? "hot ones spread" : "low ones hot");
}

std::string DescribeSpecial(const v1::Special& special) {
  return fmt::format("special({}, {}), {} % in the middle {} %, the others gaussian of {}",
                     special.min(), special.max(), special.hot_percent(),
                     special.hot_width_percent(), special.iterations());
}

std::string DescribeChoice(const v1::Choice& choice) {
  std::vector<std::string> items;
  for (const v1::Choice::Item& item : choice.items()) {
    if (static_cast<int>(items.size()) == kItemsShown && choice.items_size() > kItemsShown) {
      items.push_back(fmt::format("… {} in all", choice.items_size()));
      break;
    }
    items.push_back(fmt::format(
        "{} x {}", item.weight(),
        item.has_text() ? "\"" + item.text() + "\"" : fmt::format("{}", item.integer())));
  }
  return fmt::format("one of {}", fmt::join(items, ", "));
}

char SymbolOf(v1::Expression::Operator operation) {
  switch (operation) {
    case v1::Expression::OPERATOR_ADD:
      return '+';
    case v1::Expression::OPERATOR_SUBTRACT:
      return '-';
    case v1::Expression::OPERATOR_MULTIPLY:
      return '*';
    case v1::Expression::OPERATOR_DIVIDE:
      return '/';
    case v1::Expression::OPERATOR_MODULO:
      return '%';
    default:
      return '?';
  }
}

std::string DescribeExpression(const v1::Workload& workload, const v1::Expression& expression) {
  std::vector<std::string> values;
  for (const v1::Expression::Term& term : expression.terms()) {
    if (term.has_constant()) {
      values.push_back(fmt::format("{}", term.constant()));
    } else if (term.has_variable()) {
      values.push_back(NameOf(workload, term.variable()));
    } else if (values.size() >= 2) {
      const std::string right = std::move(values.back());
      values.pop_back();
      values.back() = fmt::format("({} {} {})", values.back(), SymbolOf(term.operator_()), right);
    }
  }
  std::string text = values.empty() ? "nothing" : values.back();
  // The outermost brackets say nothing.
  if (text.starts_with('(')) text = text.substr(1, text.size() - 2);
  return text;
}

std::string DescribeRandomText(const v1::RandomText& text) {
  return fmt::format("text of {} to {} characters {}", text.length_min(), text.length_max(),
                     text.alphabet().empty() ? "a to z" : "of \"" + text.alphabet() + "\"");
}

}  // namespace

std::string DescribeGenerator(const v1::Workload& workload, const v1::Generator& generator) {
  switch (generator.kind_case()) {
    case v1::Generator::kUniform: {
      const v1::Uniform& uniform = generator.uniform();
      if (uniform.min() == uniform.max()) return fmt::format("{}", uniform.min());
      return fmt::format("uniform({}, {})", uniform.min(), uniform.max());
    }
    case v1::Generator::kGaussian:
      return fmt::format("gaussian({}, {}), mean of {}", generator.gaussian().min(),
                         generator.gaussian().max(), generator.gaussian().iterations());
    case v1::Generator::kSpecial:
      return DescribeSpecial(generator.special());
    case v1::Generator::kPareto:
      return fmt::format("pareto({}, {}), h {}", generator.pareto().min(), generator.pareto().max(),
                         generator.pareto().h());
    case v1::Generator::kZipfian:
      return DescribeZipfian(generator.zipfian());
    case v1::Generator::kChoice:
      return DescribeChoice(generator.choice());
    case v1::Generator::kExpression:
      return DescribeExpression(workload, generator.expression());
    case v1::Generator::kSlice:
      return fmt::format("uniform within the connection's own part of 0 to {}",
                         generator.slice().size());
    case v1::Generator::kConnection:
      return fmt::format("1 + the connection's number modulo {}", generator.connection().modulus());
    case v1::Generator::kCounter:
      return "1, 2, 3 … for each connection";
    case v1::Generator::kCaptured:
      return "from a result";
    case v1::Generator::kRandomText:
      return DescribeRandomText(generator.random_text());
    case v1::Generator::kPattern:
      return DescribePattern(generator.pattern().text());
    case v1::Generator::kUniqueId:
      return fmt::format("negative, unique over the fleet{}",
                         generator.unique_id().bits() == 64 ? ", 64 bits" : "");
    case v1::Generator::kOffset:
      return DescribeOffset(workload, generator.offset());
    case v1::Generator::kRowNumber:
      return "number of the row";
    case v1::Generator::KIND_NOT_SET:
      break;
  }
  return "not set";
}

}  // namespace sysfleet
