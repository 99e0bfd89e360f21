// How evenly connections were served: sums over them of what each one had. A value.
#pragma once

#include <cstdint>

#include "common/base/clock.h"

namespace sysfleet {

struct Fairness {
  double events = 0;
  double events_squares = 0;
  // Seconds within transactions.
  double busy_s = 0;
  double busy_s_squares = 0;

  void AddConnection(uint64_t connection_events, int64_t connection_busy_ns) {
    const auto count = static_cast<double>(connection_events);
    const double seconds =
        static_cast<double>(connection_busy_ns) / static_cast<double>(kNanosPerSecond);
    Add({count, count * count, seconds, seconds * seconds});
  }

  void Add(const Fairness& other) {
    events += other.events;
    events_squares += other.events_squares;
    busy_s += other.busy_s;
    busy_s_squares += other.busy_s_squares;
  }
};

}  // namespace sysfleet
