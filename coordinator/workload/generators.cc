#include "coordinator/workload/generators.h"

#include <algorithm>
#include <limits>
#include <string>

namespace sysfleet {
namespace {

template <typename Range>
Range& Bound(Range& range, int64_t min, int64_t max) {
  range.set_min(min);
  range.set_max(max);
  return range;
}

}  // namespace

int64_t GreatestK(const DatasetPlan& dataset) {
  return std::min<int64_t>(dataset.table_size, std::numeric_limits<int32_t>::max());
}

v1::Generator RandomGenerator(const RandomOptions& random, int64_t min, int64_t max) {
  v1::Generator generator;
  switch (random.type) {
    case RandType::kUniform:
      return UniformGenerator(min, max);
    case RandType::kGaussian:
      Bound(*generator.mutable_gaussian(), min, max)
          .set_iterations(static_cast<uint32_t>(random.spec_iter));
      break;
    case RandType::kSpecial: {
      v1::Special& special = Bound(*generator.mutable_special(), min, max);
      special.set_iterations(static_cast<uint32_t>(random.spec_iter));
      special.set_hot_width_percent(static_cast<uint32_t>(random.spec_pct));
      special.set_hot_percent(static_cast<uint32_t>(random.spec_res));
      break;
    }
    case RandType::kPareto:
      Bound(*generator.mutable_pareto(), min, max).set_h(random.pareto_h);
      break;
    case RandType::kZipfian:
    case RandType::kScrambledZipfian: {
      v1::Zipfian& zipfian = Bound(*generator.mutable_zipfian(), min, max);
      zipfian.set_exponent(random.zipfian_exp);
      zipfian.set_scrambled(random.type == RandType::kScrambledZipfian);
      break;
    }
  }
  return generator;
}

v1::Generator IdGenerator(const DatasetPlan& dataset, const RandomOptions& random) {
  return RandomGenerator(random, 1, dataset.table_size);
}

v1::Generator KGenerator(const DatasetPlan& dataset, const RandomOptions& random) {
  return RandomGenerator(random, 1, GreatestK(dataset));
}

v1::Generator UniformGenerator(int64_t min, int64_t max) {
  v1::Generator generator;
  Bound(*generator.mutable_uniform(), min, max);
  return generator;
}

v1::Generator PatternGenerator(std::string_view pattern) {
  v1::Generator generator;
  generator.mutable_pattern()->set_text(std::string(pattern));
  return generator;
}

v1::ColumnType IdColumnType(const DatasetPlan& dataset) {
  return dataset.id_type == IdType::kInt64 ? v1::COLUMN_TYPE_INT64 : v1::COLUMN_TYPE_INT32;
}

v1::LoadMethod MethodOf(LoadMethod method, Driver driver) {
  switch (method) {
    case LoadMethod::kCopy:
      return v1::LOAD_METHOD_COPY;
    case LoadMethod::kInsert:
      return v1::LOAD_METHOD_INSERT;
    case LoadMethod::kLocalInfile:
      return v1::LOAD_METHOD_LOCAL_INFILE;
    case LoadMethod::kAuto:
      break;
  }
  return driver == Driver::kPostgresql ? v1::LOAD_METHOD_COPY : v1::LOAD_METHOD_INSERT;
}

}  // namespace sysfleet
