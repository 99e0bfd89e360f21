#include "coordinator/workload/own_generator.h"

#include <cstdlib>

#include "coordinator/workload/generators.h"

namespace sysfleet {
namespace {

using Kind = OwnGenerator::Kind;

v1::Expression::Operator OperatorOf(char symbol) {
  switch (symbol) {
    case '+':
      return v1::Expression::OPERATOR_ADD;
    case '-':
      return v1::Expression::OPERATOR_SUBTRACT;
    case '*':
      return v1::Expression::OPERATOR_MULTIPLY;
    case '/':
      return v1::Expression::OPERATOR_DIVIDE;
    default:
      return v1::Expression::OPERATOR_MODULO;
  }
}

void ToMessage(const Formula& formula, const std::function<uint32_t(const std::string&)>& place_of,
               v1::Expression& message) {
  for (const FormulaTerm& term : formula) {
    v1::Expression::Term& to = *message.add_terms();
    switch (term.kind) {
      case FormulaTerm::Kind::kConstant:
        to.set_constant(term.constant);
        break;
      case FormulaTerm::Kind::kName:
        to.set_variable(place_of(term.name));
        break;
      case FormulaTerm::Kind::kOperator:
        to.set_operator_(OperatorOf(term.symbol));
        break;
    }
  }
}

void ToMessage(const OwnGenerator& generator, v1::Choice& message) {
  for (const OwnChoice& choice : generator.choices) {
    v1::Choice::Item& item = *message.add_items();
    item.set_weight(static_cast<uint32_t>(choice.weight));
    if (generator.are_texts) {
      item.set_text(choice.text);
    } else {
      item.set_integer(std::strtoll(choice.text.c_str(), nullptr, 10));
    }
  }
}

}  // namespace

v1::Generator ToMessage(const OwnGenerator& generator,
                        const std::function<uint32_t(const std::string&)>& place_of) {
  v1::Generator message;
  switch (generator.kind) {
    case Kind::kRandom:
      return RandomGenerator(generator.random, generator.min, generator.max);
    case Kind::kPattern:
      return PatternGenerator(generator.pattern);
    case Kind::kText:
      message.mutable_random_text()->set_length_min(static_cast<uint32_t>(generator.min));
      message.mutable_random_text()->set_length_max(static_cast<uint32_t>(generator.max));
      break;
    case Kind::kChoice:
      ToMessage(generator, *message.mutable_choice());
      break;
    case Kind::kFormula:
      ToMessage(generator.formula, place_of, *message.mutable_expression());
      break;
    case Kind::kUnique:
      message.mutable_unique_id()->set_bits(64);
      break;
    case Kind::kCaptured:
      message.mutable_captured()->set_type(generator.are_texts ? v1::COLUMN_TYPE_TEXT
                                                               : v1::COLUMN_TYPE_INT64);
      break;
    case Kind::kRow:
      message.mutable_row_number();
      break;
  }
  return message;
}

}  // namespace sysfleet
