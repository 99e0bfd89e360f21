#include "coordinator/result/fairness_sums.h"

#include <algorithm>
#include <cmath>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

double StandardDeviation(double sum, double squares, double count) {
  const double mean = sum / count;
  return std::sqrt(std::max(0.0, squares / count - mean * mean));
}

}  // namespace

void FairnessSums::Add(const v1::Fairness& agent) {
  events_ += agent.events();
  events_squares_ += agent.events_squares();
  busy_s_ += agent.busy_s();
  busy_s_squares_ += agent.busy_s_squares();
}

FairnessResult FairnessSums::Over(int connections) const {
  return {.events_stddev = StandardDeviation(events_, events_squares_, connections),
          .busy_s_stddev = StandardDeviation(busy_s_, busy_s_squares_, connections)};
}

}  // namespace sysfleet
