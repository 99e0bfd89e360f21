// How evenly a cell's connections were served, from the sums that agents send. A value.
#pragma once

#include "coordinator/result/result.h"

namespace sysfleet {

namespace v1 {
class Fairness;
}

class FairnessSums {
 public:
  void Add(const v1::Fairness& agent);

  /// Over so many connections, at least 1.
  FairnessResult Over(int connections) const;

 private:
  double events_ = 0;
  double events_squares_ = 0;
  double busy_s_ = 0;
  double busy_s_squares_ = 0;
};

}  // namespace sysfleet
