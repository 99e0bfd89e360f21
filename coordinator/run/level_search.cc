#include "coordinator/run/level_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/base/text.h"

namespace sysfleet {
namespace {

// A level that is twice as high and brings less than this has met the database's limit.
constexpr double kGrowthMin = 1.05;
// Nearer than a twentieth is not told apart.
constexpr int64_t kPrecision = 20;

}  // namespace

std::optional<int64_t> LevelSearch::Next() const {
  if (phase_ == Phase::kEnded) return std::nullopt;
  return level_;
}

void LevelSearch::Add(const LevelOutcome& outcome) {
  if (phase_ == Phase::kConfirming) return OnConfirmation(outcome);
  if (outcome.missed.empty()) {
    OnKept(outcome);
  } else {
    OnMissed(outcome);
  }
}

void LevelSearch::OnKept(const LevelOutcome& outcome) {
  const bool is_growing = phase_ == Phase::kGrowing;
  const double tps_before = kept_.empty() ? 0 : kept_.back().tps;
  kept_.push_back(outcome);
  if (outcome.is_client_limited) {
    reason_ = fmt::format("at {} the client machines had no time left", Grouped(outcome.level));
    return Confirm();
  }
  if (is_growing && outcome.tps < kGrowthMin * tps_before) {
    reason_ = fmt::format("from {} to {} throughput grew from {} to {} TPS only",
                          Grouped(kept_[kept_.size() - 2].level), Grouped(outcome.level),
                          WithThousands(tps_before, 1), WithThousands(outcome.tps, 1));
    // More of what brings nothing is no better.
    if (outcome.tps <= tps_before) kept_.pop_back();
    return Confirm();
  }
  if (!is_growing) return Narrow();
  if (outcome.level >= to_) {
    reason_ = fmt::format("{} is the highest level of the plan", Grouped(to_));
    return Confirm();
  }
  level_ = outcome.level > to_ / 2 ? to_ : 2 * outcome.level;
}

void LevelSearch::OnMissed(const LevelOutcome& outcome) {
  lowest_missed_ = outcome.level;
  reason_ = fmt::format("{} missed the limit: {}", Grouped(outcome.level), outcome.missed);
  if (kept_.empty()) {
    phase_ = Phase::kEnded;
    return;
  }
  phase_ = Phase::kNarrowing;
  Narrow();
}

void LevelSearch::Narrow() {
  const int64_t highest = kept_.back().level;
  const int64_t gap = lowest_missed_ - highest;
  if (gap <= std::max<int64_t>(1, highest / kPrecision)) return Confirm();
  level_ = highest + gap / 2;
}

void LevelSearch::Confirm() {
  phase_ = Phase::kConfirming;
  level_ = kept_.back().level;
}

void LevelSearch::OnConfirmation(const LevelOutcome& outcome) {
  if (outcome.missed.empty()) {
    answer_ = outcome.level;
    phase_ = Phase::kEnded;
    return;
  }
  reason_ = fmt::format("{} missed the limit when it was confirmed: {}", Grouped(outcome.level),
                        outcome.missed);
  kept_.pop_back();
  if (kept_.empty()) {
    phase_ = Phase::kEnded;
  } else {
    Confirm();
  }
}

}  // namespace sysfleet
