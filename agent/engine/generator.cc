#include "agent/engine/generator.h"

#include <fmt/format.h>

#include "absl/status/status.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

constexpr size_t kTextLimit = 1 << 20;

}  // namespace

absl::StatusOr<Generator> Generator::Compile(const v1::Generator& message, size_t variables) {
  switch (message.kind_case()) {
    case v1::Generator::kUniform: {
      const auto& uniform = message.uniform();
      if (uniform.min() > uniform.max()) {
        return absl::InvalidArgumentError(fmt::format(
            "uniform({}, {}): the minimum is above the maximum", uniform.min(), uniform.max()));
      }
      return Generator(Kind::kUniform, uniform.min(), uniform.max());
    }
    case v1::Generator::kPattern: {
      if (message.pattern().text().size() > kTextLimit) {
        return absl::InvalidArgumentError("pattern: longer than 1 MiB");
      }
      Generator generator(Kind::kPattern, 0, 0);
      generator.pattern_ = TextPattern(message.pattern().text());
      return generator;
    }
    case v1::Generator::kUniqueId:
      return Generator(Kind::kUniqueId, 0, 0);
    case v1::Generator::kOffset:
      if (message.offset().variable() >= variables) {
        return absl::InvalidArgumentError(
            fmt::format("offset: there is no variable {}", message.offset().variable()));
      }
      return Generator(Kind::kOffset, message.offset().variable(), message.offset().addend());
    case v1::Generator::kRowNumber:
      return Generator(Kind::kRowNumber, 0, 0);
    default:
      break;
  }
  return absl::InvalidArgumentError("a variable without a known generator");
}

Variables::Variables(const std::vector<Generator>& generators, Random random, UniqueIds unique_ids)
    : generators_(generators),
      random_(random),
      unique_ids_(unique_ids),
      values_(generators.size()),
      texts_(generators.size()) {
  for (size_t i = 0; i < generators.size(); ++i) {
    if (!generators[i].is_text()) continue;
    const size_t size = generators[i].pattern().size();
    texts_[i] = std::make_unique<char[]>(size);
    values_[i].text = {texts_[i].get(), size};
  }
}

void Variables::Draw(size_t variable) {
  const Generator& generator = generators_[variable];
  Value& value = values_[variable];
  switch (generator.kind()) {
    case Generator::Kind::kUniform:
      value.integer = random_.Uniform(generator.min(), generator.max());
      break;
    case Generator::Kind::kPattern:
      generator.pattern().Fill(random_, texts_[variable].get());
      break;
    case Generator::Kind::kUniqueId:
      value.integer = unique_ids_.Next();
      break;
    case Generator::Kind::kOffset:
      value.integer = values_[generator.base_variable()].integer + generator.addend();
      break;
    case Generator::Kind::kRowNumber:
      value.integer = row_;
      break;
  }
}

}  // namespace sysfleet
