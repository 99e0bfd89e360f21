#include "coordinator/result/result.h"

#include <algorithm>

namespace sysfleet {

double CellResult::ClientShare() const {
  if (transactions == 0 || threads <= 0) return 0;
  const double connections_waiting = Tps() * latency.MeanNs() / 1e9;
  return std::clamp(1 - connections_waiting / threads, 0.0, 1.0);
}

}  // namespace sysfleet
