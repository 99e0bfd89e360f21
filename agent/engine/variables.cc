#include "agent/engine/generator.h"

namespace sysfleet {
namespace {

__extension__ using Int128 = __int128;

int64_t SliceStart(int64_t size, int64_t connection, int64_t connections) {
  return static_cast<int64_t>(static_cast<Int128>(size) * connection / connections);
}

}  // namespace

Variables::Variables(const std::vector<Generator>& generators, Random random, UniqueIds unique_ids,
                     ConnectionIdentity connection)
    : generators_(generators),
      random_(random),
      unique_ids_(unique_ids),
      connection_(connection),
      values_(generators.size()),
      texts_(generators.size()) {
  for (size_t i = 0; i < generators.size(); ++i) {
    if (!generators[i].is_text()) continue;
    if (generators[i].kind() != Generator::Kind::kChoice) {
      texts_[i].resize(generators[i].text_bytes_max());
    }
    // A pattern has its length before it is first drawn, though not yet its content. The others are
    // empty, but have an address: a client library may take a null pointer for NULL.
    const bool is_pattern = generators[i].kind() == Generator::Kind::kPattern;
    values_[i].text = std::string_view(texts_[i]).substr(0, is_pattern ? texts_[i].size() : 0);
  }
}

struct Variables::Drawer {
  Variables& variables;
  Value& value;
  std::string& text;

  void operator()(const Generator::Uniform& rule) {
    value.integer = variables.random_.Uniform(rule.min, rule.max);
  }
  void operator()(const TextPattern& rule) { rule.Fill(variables.random_, text.data()); }
  void operator()(const AlphabetText& rule) {
    value.text = {text.data(), rule.Fill(variables.random_, text.data())};
  }
  void operator()(const Generator::UniqueId& rule) {
    value.integer = rule.wide ? variables.unique_ids_.NextWide() : variables.unique_ids_.Next();
  }
  void operator()(const Generator::Offset& rule) {
    // Wraps around, as all arithmetic on variables.
    value.integer =
        static_cast<int64_t>(static_cast<uint64_t>(variables.values_[rule.variable].integer) +
                             static_cast<uint64_t>(rule.addend));
  }
  void operator()(const Generator::RowNumber&) { value.integer = variables.row_; }
  void operator()(const Choice& rule) { value = rule.Draw(variables.random_); }
  void operator()(const Expression& rule) { value.integer = rule.Evaluate(variables.values_); }
  void operator()(const Generator::Slice& rule) {
    const auto [number, of] = variables.connection_;
    value.integer = variables.random_.Uniform(SliceStart(rule.size, number, of),
                                              SliceStart(rule.size, number + 1, of));
  }
  void operator()(const Generator::Connection& rule) {
    value.integer = 1 + variables.connection_.number % rule.modulus;
  }
  void operator()(const Generator::Counter&) { ++value.integer; }
  void operator()(const Generator::Captured&) {}
  template <typename Distribution>
  void operator()(const Distribution& rule) {
    value.integer = rule.Draw(variables.random_);
  }
};

void Variables::Draw(size_t variable) {
  std::visit(Drawer{*this, values_[variable], texts_[variable]}, generators_[variable].rule());
}

void Variables::Set(size_t variable, std::string_view text) {
  texts_[variable] = text;
  values_[variable].text = texts_[variable];
}

}  // namespace sysfleet
