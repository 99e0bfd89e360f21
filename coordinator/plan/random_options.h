// Distributions of random integers, with sysbench's names and defaults. Values.
#pragma once

#include <cstdint>

namespace sysfleet {

/// How random ids are drawn from 1 to table_size.
enum class RandType : uint8_t {
  kUniform,
  kGaussian,
  kSpecial,
  kPareto,
  kZipfian,
  kScrambledZipfian,  // hot ids spread over the table
};

/// A distribution and the parameters of all of them.
struct RandomOptions {
  RandType type = RandType::kUniform;
  double pareto_h = 0.2;
  double zipfian_exp = 0.8;
  /// Of gaussian too.
  int spec_iter = 12;
  int spec_pct = 1;
  int spec_res = 75;
};

}  // namespace sysfleet
