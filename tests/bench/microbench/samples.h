// Latencies as a database gives them, for benchmarks of what records them.
#pragma once

#include <cstdint>
#include <vector>

#include "common/random/random.h"

namespace sysfleet {

/// From 0.5 to 8 ms, as many in each octave; a power of two of them.
inline std::vector<int64_t> SampleLatenciesNs() {
  std::vector<int64_t> latencies_ns(4096);
  Random random(1);
  for (int64_t& latency_ns : latencies_ns) {
    const int64_t octave_ns = 500'000LL << random.Uniform(0, 3);
    latency_ns = random.Uniform(octave_ns, 2 * octave_ns - 1);
  }
  return latencies_ns;
}

}  // namespace sysfleet
