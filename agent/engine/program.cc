#include "agent/engine/program.h"

#include <algorithm>

namespace sysfleet {

size_t Program::Pick(Random& random) const {
  if (transactions_.size() == 1) return 0;
  const auto total = static_cast<int64_t>(cumulative_weights_.back());
  const auto point = static_cast<uint64_t>(random.Uniform(0, total - 1));
  const auto found =
      std::upper_bound(cumulative_weights_.begin(), cumulative_weights_.end(), point);
  return static_cast<size_t>(found - cumulative_weights_.begin());
}

}  // namespace sysfleet
