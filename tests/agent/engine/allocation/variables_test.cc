// Drawing variables allocates nothing, whatever their generators.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "agent/engine/generator.h"
#include "sysfleet/v1/workload.pb.h"
#include "tests/agent/engine/allocation/allocations.h"

namespace sysfleet {
namespace {

TEST(VariablesTest, DrawingAllocatesNothing) {
  v1::Workload workload;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        variables { generator { uniform { min: 1 max: 9 } } }
        variables { generator { pattern { text: "###-@@@" } } }
        variables { generator { unique_id { bits: 64 } } }
        variables { generator { offset { variable: 0 addend: 1 } } }
        variables { generator { gaussian { min: 1 max: 9 iterations: 12 } } }
        variables { generator { special { min: 1 max: 9 iterations: 12 hot_percent: 75 } } }
        variables { generator { pareto { min: 1 max: 9 h: 0.2 } } }
        variables { generator { zipfian { min: 1 max: 9 exponent: 1 scrambled: true } } }
        variables {
          generator { choice { items { text: "a text that is long enough" weight: 1 } } }
        }
        variables { generator { expression { terms { variable: 0 } } } }
        variables { generator { slice { size: 9 } } }
        variables { generator { connection { modulus: 9 } } }
        variables { generator { counter {} } }
        variables { generator { random_text { length_min: 1 length_max: 50 } } }
      )pb",
      &workload));
  std::vector<Generator> generators;
  for (const v1::Variable& variable : workload.variables()) {
    generators.push_back(*Generator::Compile(variable.generator(), 14));
  }
  Variables variables(generators, Random(1), UniqueIds(0, 0, 1));
  const int64_t before = allocations;
  for (int round = 0; round < 100; ++round) {
    for (size_t i = 0; i < generators.size(); ++i) variables.Draw(i);
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace sysfleet
