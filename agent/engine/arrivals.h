// When the transactions of an open loop are to start, as one connection of the fleet sees it: laid
// out from the cell's start on, whatever the database does. Not thread-safe.
#pragma once

#include <cstdint>

#include "common/random/random.h"

namespace sysfleet {

struct OpenLoop {
  /// Transactions a second over the whole fleet; above 0.
  double rate_per_s = 0;
  /// At equal distances over the fleet; else each connection has random ones of its own (a Poisson
  /// process), which are Poisson over the fleet, too.
  bool even = false;
};

class Arrivals {
 public:
  /// `connection` is a global number below `connections`.
  Arrivals(const OpenLoop& loop, int64_t connection, int64_t connections, uint64_t seed);

  /// The next intended start, in nanoseconds since the cell's.
  int64_t next_ns() const { return next_ns_; }

  void Advance();

  /// Of the next one, from 0.
  int64_t number() const { return number_; }

  /// Goes on to the first intended start at or after `since_ns`. Returns how many it left out.
  int64_t SkipTo(int64_t since_ns);

 private:
  double mean_distance_ns_;  // of one connection
  bool even_;
  double exact_ns_;
  double first_ns_;
  int64_t number_ = 0;
  int64_t next_ns_ = 0;
  Random random_;
};

}  // namespace sysfleet
