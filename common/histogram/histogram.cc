#include "common/histogram/histogram.h"

#include <cmath>

namespace sysfleet {

template <int kSubBucketBits>
void LogLinearHistogram<kSubBucketBits>::Add(const LogLinearHistogram& other) {
  const size_t end = other.used_end();
  for (size_t i = other.first_used(); i < end; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  overflow_ += other.overflow_;
  sum_ns_ += other.sum_ns_;
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

template <int kSubBucketBits>
void LogLinearHistogram<kSubBucketBits>::AddSummary(int64_t min_ns, int64_t max_ns, uint64_t sum_ns,
                                                    uint64_t overflow) {
  min_ns_ = std::min(min_ns_, min_ns);
  max_ns_ = std::max(max_ns_, max_ns);
  sum_ns_ += sum_ns;
  overflow_ += overflow;
  count_ += overflow;
}

template <int kSubBucketBits>
void LogLinearHistogram<kSubBucketBits>::Clear() {
  const size_t end = used_end();
  for (size_t i = first_used(); i < end; ++i) counts_[i] = 0;
  count_ = 0;
  overflow_ = 0;
  sum_ns_ = 0;
  min_ns_ = INT64_MAX;
  max_ns_ = 0;
}

template <int kSubBucketBits>
int64_t LogLinearHistogram<kSubBucketBits>::PercentileNs(double percent) const {
  if (count_ == 0) return 0;
  if (percent <= 0) return min_ns_;
  if (percent >= 100) return max_ns_;
  // One step below `percent`, so that rounding in the product cannot lift a whole rank to the next:
  // 99.9 % of 1000 values is the 999th.
  const double rank = std::ceil(std::nextafter(percent, 0.0) * static_cast<double>(count_) / 100.0);
  const auto wanted = std::clamp<uint64_t>(static_cast<uint64_t>(rank), 1, count_);
  uint64_t seen = 0;
  const size_t end = used_end();
  for (size_t i = first_used(); i < end; ++i) {
    seen += counts_[i];
    if (seen >= wanted) return std::clamp(MiddleOf(i), min_ns_, max_ns_);
  }
  return max_ns_;  // It is one of the values in the overflow.
}

template class LogLinearHistogram<11>;
template class LogLinearHistogram<5>;

}  // namespace sysfleet
