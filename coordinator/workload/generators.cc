#include "coordinator/workload/generators.h"

#include <string>

namespace sysfleet {

v1::Generator IdGenerator(const DatasetPlan& dataset) {
  return UniformGenerator(1, dataset.table_size);
}

v1::Generator UniformGenerator(int64_t min, int64_t max) {
  v1::Generator generator;
  generator.mutable_uniform()->set_min(min);
  generator.mutable_uniform()->set_max(max);
  return generator;
}

v1::Generator PatternGenerator(std::string_view pattern) {
  v1::Generator generator;
  generator.mutable_pattern()->set_text(std::string(pattern));
  return generator;
}

}  // namespace sysfleet
