// Log-linear histograms of durations up to one hour.
//
// Below kSubBuckets ns every value has a bucket of its own; above, a bucket is at most
// 1/kHalfSubBuckets of its value wide. Values above one hour are counted as overflow and in no
// bucket. Minimum, maximum and sum are exact. Recording takes a few nanoseconds and never
// allocates. Not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sysfleet {

template <int kSubBucketBits>
class LogLinearHistogram {
 public:
  static constexpr int64_t kHighestNs = 3'600'000'000'000;
  static constexpr int64_t kSubBuckets = int64_t{1} << kSubBucketBits;
  static constexpr int64_t kHalfSubBuckets = kSubBuckets / 2;

  /// The bucket that holds `value_ns`, which is from 0 to kHighestNs.
  static constexpr size_t IndexOf(int64_t value_ns) {
    const int shift =
        std::bit_width(static_cast<uint64_t>(value_ns) | (kSubBuckets - 1)) - kSubBucketBits;
    return static_cast<size_t>((static_cast<int64_t>(shift) << (kSubBucketBits - 1)) +
                               (value_ns >> shift));
  }
  /// The least value of a bucket, and how many values it holds.
  static constexpr int64_t LowestOf(size_t index) {
    const auto i = static_cast<int64_t>(index);
    if (i < kSubBuckets) return i;
    const int64_t shift = i / kHalfSubBuckets - 1;
    return (i % kHalfSubBuckets + kHalfSubBuckets) << shift;
  }
  static constexpr int64_t WidthOf(size_t index) {
    const auto i = static_cast<int64_t>(index);
    return i < kSubBuckets ? 1 : int64_t{1} << (i / kHalfSubBuckets - 1);
  }
  /// What stands for every value of a bucket.
  static constexpr int64_t MiddleOf(size_t index) { return LowestOf(index) + WidthOf(index) / 2; }

  /// Whole octaves, as HdrHistogram keeps them.
  static constexpr size_t kBuckets =
      (std::bit_width(static_cast<uint64_t>(kHighestNs)) - kSubBucketBits + 2) * kHalfSubBuckets;

  /// Which buckets may have values, where these are from `min_ns` to `max_ns`: [FirstUsed,
  /// UsedEnd). A histogram is large, and what is recorded in a second lies close together.
  static constexpr size_t FirstUsed(int64_t min_ns) {
    return IndexOf(std::min(min_ns, kHighestNs));
  }
  static constexpr size_t UsedEnd(int64_t max_ns) {
    return max_ns < kHighestNs ? IndexOf(max_ns) + 1 : kBuckets;
  }

  LogLinearHistogram() : counts_(kBuckets, 0) {}

  /// A negative value counts as 0.
  void Record(int64_t value_ns) {
    if (value_ns < 0) value_ns = 0;
    if (value_ns < min_ns_) min_ns_ = value_ns;
    if (value_ns > max_ns_) max_ns_ = value_ns;
    sum_ns_ += static_cast<uint64_t>(value_ns);
    ++count_;
    if (value_ns > kHighestNs) [[unlikely]] {
      ++overflow_;
      return;
    }
    ++counts_[IndexOf(value_ns)];
  }

  /// As if everything that `other` recorded had been recorded here too.
  void Add(const LogLinearHistogram& other);

  /// Adds `count` values to bucket `index` (below kBuckets) without touching minimum, maximum and
  /// sum: for decoders, which call AddSummary afterwards, with a minimum and a maximum that no
  /// bucket lies beyond.
  void AddBucket(size_t index, uint64_t count) {
    counts_[index] += count;
    count_ += count;
  }
  void AddSummary(int64_t min_ns, int64_t max_ns, uint64_t sum_ns, uint64_t overflow);

  void Clear();

  uint64_t count() const { return count_; }  // overflow included
  uint64_t overflow() const { return overflow_; }
  uint64_t sum_ns() const { return sum_ns_; }
  /// 0 where nothing was recorded.
  int64_t min_ns() const { return count_ == 0 ? 0 : min_ns_; }
  int64_t max_ns() const { return max_ns_; }
  double MeanNs() const {
    return count_ == 0 ? 0.0 : static_cast<double>(sum_ns_) / static_cast<double>(count_);
  }

  /// The value below or at which `percent` (0 to 100) of the recorded values lie, to half a
  /// bucket, and never below the minimum or above the maximum. 0 where nothing was recorded.
  int64_t PercentileNs(double percent) const;

  const std::vector<uint64_t>& buckets() const { return counts_; }

  /// No bucket outside of [first_used, used_end) has values.
  size_t first_used() const { return FirstUsed(min_ns()); }
  size_t used_end() const { return UsedEnd(max_ns_); }

 private:
  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
  uint64_t overflow_ = 0;
  uint64_t sum_ns_ = 0;
  int64_t min_ns_ = INT64_MAX;
  int64_t max_ns_ = 0;
};

/// The bucket layout of HdrHistogram (lowest discernible value 1 ns, 3 significant digits, highest
/// trackable value 1 hour), so that its tools can read ours. Percentiles are within 0.1 %; 270 KB.
using Histogram = LogLinearHistogram<11>;

/// Where there are many and a few per cent are exact enough: within 3.2 %; 5 KB.
using CoarseHistogram = LogLinearHistogram<5>;

extern template class LogLinearHistogram<11>;
extern template class LogLinearHistogram<5>;

static_assert(Histogram::kBuckets == 33 * 1024, "HdrHistogram's");
static_assert(Histogram::IndexOf(Histogram::kHighestNs) < Histogram::kBuckets);
static_assert(CoarseHistogram::IndexOf(CoarseHistogram::kHighestNs) < CoarseHistogram::kBuckets);

}  // namespace sysfleet
