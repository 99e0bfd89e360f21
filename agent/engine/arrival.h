// When a reply arrived.
#pragma once

#include <cstdint>

#include "common/base/clock.h"

namespace sysfleet {

/// What the kernel has noted (0: nothing), where it is possible: not before the statement was sent,
/// nor long after the batch of events in which its reply was found. The kernel goes by the wall
/// clock, and one that was set in between gives neither. Otherwise the arrival of the batch. All in
/// nanoseconds of the steady clock.
inline int64_t ArrivalOf(int64_t noted_ns, int64_t sent_ns, int64_t batch_ns) {
  const bool is_possible = noted_ns >= sent_ns && noted_ns < batch_ns + kNanosPerSecond;
  return is_possible ? noted_ns : batch_ns;
}

}  // namespace sysfleet
