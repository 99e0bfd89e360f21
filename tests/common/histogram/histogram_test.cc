#include "common/histogram/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace sysfleet {
namespace {

constexpr int64_t kMillion = 1'000'000;

Histogram Recorded(const std::vector<int64_t>& values_ns) {
  Histogram histogram;
  for (const int64_t value_ns : values_ns) histogram.Record(value_ns);
  return histogram;
}

void ExpectSame(const Histogram& a, const Histogram& b) {
  EXPECT_EQ(a.count(), b.count());
  EXPECT_EQ(a.overflow(), b.overflow());
  EXPECT_EQ(a.sum_ns(), b.sum_ns());
  EXPECT_EQ(a.min_ns(), b.min_ns());
  EXPECT_EQ(a.max_ns(), b.max_ns());
  EXPECT_EQ(a.buckets(), b.buckets());
}

template <typename Kind>
void ExpectBucketsInARow(int64_t parts_of_a_value) {
  int64_t expected_lowest = 0;
  for (size_t i = 0; i < Kind::kBuckets; ++i) {
    ASSERT_EQ(Kind::LowestOf(i), expected_lowest) << i;
    const int64_t highest = Kind::LowestOf(i) + Kind::WidthOf(i) - 1;
    ASSERT_EQ(Kind::IndexOf(Kind::LowestOf(i)), i);
    ASSERT_EQ(Kind::IndexOf(Kind::MiddleOf(i)), i);
    ASSERT_EQ(Kind::IndexOf(highest), i);
    ASSERT_LE((Kind::WidthOf(i) - 1) * parts_of_a_value, Kind::LowestOf(i)) << i;
    expected_lowest = highest + 1;
  }
  EXPECT_GT(expected_lowest, Kind::kHighestNs);
}

TEST(HistogramLayout, BucketsFollowOneAnotherWithoutAGap) {
  ExpectBucketsInARow<Histogram>(1024);  // Three significant digits.
  ExpectBucketsInARow<CoarseHistogram>(16);
}

TEST(HistogramLayout, IsHdrHistograms) {
  // What HdrHistogram 2.1 (lowest 1, highest one hour, 3 digits) says of these values.
  struct Case {
    int64_t value_ns;
    size_t index;
    int64_t lowest_ns;
    int64_t width_ns;
  };
  const Case cases[] = {
      {0, 0, 0, 1},
      {1, 1, 1, 1},
      {2047, 2047, 2047, 1},
      {2048, 2048, 2048, 2},
      {2049, 2048, 2048, 2},
      {4095, 3071, 4094, 2},
      {4096, 3072, 4096, 4},
      {kMillion, 11169, 999'936, 512},
      {Histogram::kHighestNs, 33'420, 3'599'182'594'048, 2'147'483'648},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Histogram::IndexOf(c.value_ns), c.index) << c.value_ns;
    EXPECT_EQ(Histogram::LowestOf(c.index), c.lowest_ns) << c.value_ns;
    EXPECT_EQ(Histogram::WidthOf(c.index), c.width_ns) << c.value_ns;
  }
}

TEST(Histogram, IsEmptyAtFirst) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0);
  EXPECT_EQ(histogram.min_ns(), 0);
  EXPECT_EQ(histogram.max_ns(), 0);
  EXPECT_EQ(histogram.MeanNs(), 0.0);
  EXPECT_EQ(histogram.PercentileNs(50), 0);
}

TEST(Histogram, KeepsExactSummary) {
  const Histogram histogram = Recorded({5'000'001, 3, 1'234'567});
  EXPECT_EQ(histogram.count(), 3);
  EXPECT_EQ(histogram.min_ns(), 3);
  EXPECT_EQ(histogram.max_ns(), 5'000'001);
  EXPECT_EQ(histogram.sum_ns(), 6'234'571);
  EXPECT_DOUBLE_EQ(histogram.MeanNs(), 6'234'571 / 3.0);
}

TEST(Histogram, CountsANegativeValueAsZero) {
  ExpectSame(Recorded({-1, INT64_MIN}), Recorded({0, 0}));
}

TEST(Histogram, CountsWhatIsAboveAnHourAsOverflow) {
  const Histogram histogram =
      Recorded({Histogram::kHighestNs, Histogram::kHighestNs + 1, INT64_MAX});
  EXPECT_EQ(histogram.count(), 3);
  EXPECT_EQ(histogram.overflow(), 2);
  EXPECT_EQ(histogram.max_ns(), INT64_MAX);
  EXPECT_EQ(histogram.sum_ns(), uint64_t{INT64_MAX} + 2 * Histogram::kHighestNs + 1);
  EXPECT_EQ(histogram.buckets()[Histogram::IndexOf(Histogram::kHighestNs)], 1);
  EXPECT_EQ(histogram.PercentileNs(33), 3'600'256'335'872);  // The middle of the last bucket.
  EXPECT_EQ(histogram.PercentileNs(34), INT64_MAX);
}

TEST(Histogram, ClearForgetsEverything) {
  Histogram histogram = Recorded({1, kMillion, INT64_MAX});
  histogram.Clear();
  ExpectSame(histogram, Histogram());
  histogram.Record(7);
  ExpectSame(histogram, Recorded({7}));
}

TEST(Histogram, TellsWhichBucketsMayHaveValues) {
  struct Case {
    std::vector<int64_t> values_ns;
    size_t first;
    size_t end;
  };
  const Case cases[] = {
      {{}, 0, 1},
      {{7}, 7, 8},
      {{5, 9}, 5, 10},
      {{2047, 2048}, 2047, 2049},
      // Decoders may fill what is between an hour and the end of its octave.
      {{Histogram::kHighestNs}, Histogram::IndexOf(Histogram::kHighestNs), Histogram::kBuckets},
      {{INT64_MAX}, Histogram::IndexOf(Histogram::kHighestNs), Histogram::kBuckets},
  };
  for (const Case& c : cases) {
    const Histogram histogram = Recorded(c.values_ns);
    EXPECT_EQ(histogram.first_used(), c.first) << c.end;
    EXPECT_EQ(histogram.used_end(), c.end);
  }
}

TEST(Histogram, AddBucketAndSummaryMakeUpARecording) {
  Histogram histogram;
  histogram.AddBucket(Histogram::IndexOf(10), 2);
  histogram.AddBucket(Histogram::IndexOf(kMillion), 1);
  histogram.AddSummary(10, INT64_MAX, 20 + kMillion + uint64_t{INT64_MAX}, 1);
  ExpectSame(histogram, Recorded({10, 10, kMillion, INT64_MAX}));
}

TEST(CoarseHistogram, HasAFewBucketsAnOctave) {
  CoarseHistogram histogram;
  // From 65 536 to 131 071 ns buckets are 4096 wide; 98 304 to 102 399 is one.
  for (int i = 0; i < 98; ++i) histogram.Record(70'000);
  histogram.Record(100'000);
  histogram.Record(400'000);
  EXPECT_EQ(histogram.buckets()[CoarseHistogram::IndexOf(98'304)], 1);
  EXPECT_EQ(CoarseHistogram::IndexOf(98'304), CoarseHistogram::IndexOf(102'399));
  EXPECT_EQ(histogram.PercentileNs(99), 98'304 + 2'048);
  EXPECT_EQ(histogram.max_ns(), 400'000);
}

TEST(HistogramPercentile, TakesTheSmallestRankThatCoversThePercentage) {
  // Values below 2048 ns are exact, so the percentile of 1 … n is its rank.
  struct Case {
    int64_t values;
    double percent;
    int64_t expected;
  };
  const Case cases[] = {
      {1, 0, 1},           {1, 50, 1},          {1, 100, 1},       {2, 50, 1},
      {2, 50.1, 2},        {3, 50, 2},          {10, 95, 10},      {20, 95, 19},
      {100, 95, 95},       {1000, 99.9, 999},   {1000, 0.1, 1},    {1000, 0.11, 2},
      {1000, 99.99, 1000}, {1000, 99.91, 1000}, {1000, -5, 1},     {1000, 200, 1000},
      {1000, 29, 290},     {1000, 57, 570},     {2000, 55, 1'100}, {2000, 1e-9, 1},
  };
  for (const Case& c : cases) {
    Histogram histogram;
    for (int64_t value = 1; value <= c.values; ++value) histogram.Record(value);
    EXPECT_EQ(histogram.PercentileNs(c.percent), c.expected) << c.percent << " of " << c.values;
  }
}

TEST(HistogramPercentile, RoundsNoRankUpByAccident) {
  for (const int64_t values : {1, 3, 7, 64, 100, 999, 1000, 1001, 2047}) {
    Histogram histogram;
    for (int64_t value = 1; value <= values; ++value) histogram.Record(value);
    for (int64_t per_mille = 1; per_mille < 1000; ++per_mille) {
      const int64_t rank = (per_mille * values + 999) / 1000;
      ASSERT_EQ(histogram.PercentileNs(static_cast<double>(per_mille) / 10), rank)
          << per_mille << " per mille of " << values;
    }
  }
}

TEST(HistogramPercentile, IsTheMiddleOfABucketWithinMinimumAndMaximum) {
  // 1 000 000 is in the bucket of 999 936 to 1 000 447, whose middle is 1 000 192.
  EXPECT_EQ(Recorded({kMillion}).PercentileNs(50), kMillion);
  EXPECT_EQ(Recorded({kMillion, kMillion + 100}).PercentileNs(50), kMillion + 100);
  EXPECT_EQ(Recorded({1, kMillion, 2 * kMillion}).PercentileNs(50), 1'000'192);
  EXPECT_EQ(Recorded({1'000'400, 2 * kMillion}).PercentileNs(50), 1'000'400);
}

struct Sample {
  std::string name;
  size_t size;
  std::function<double(std::mt19937_64&)> draw_ns;
};

double Draw(std::mt19937_64& engine) {
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

std::vector<Sample> Samples() {
  const double log_highest = std::log(static_cast<double>(Histogram::kHighestNs));
  return {
      {"uniform", 100'000, [](auto& e) { return 1e5 + Draw(e) * 1e7; }},
      {"log-uniform", 100'000, [=](auto& e) { return std::exp(Draw(e) * log_highest); }},
      {"constant", 10'000, [](auto&) { return 123'456'789.0; }},
      {"bimodal", 50'000, [](auto& e) { return (Draw(e) < 0.9 ? 2e5 : 3e9) * (1 + Draw(e)); }},
      {"tiny", 3, [](auto& e) { return 1e6 * Draw(e); }},
      {"single", 1, [](auto& e) { return 1e9 * Draw(e); }},
      {"sub-microsecond", 20'000, [](auto& e) { return Draw(e) * 1000; }},
  };
}

TEST(HistogramPercentile, IsWithinAThousandthOfExact) {
  std::mt19937_64 engine(1);
  for (const Sample& sample : Samples()) {
    std::vector<int64_t> values(sample.size);
    for (int64_t& value : values) value = static_cast<int64_t>(sample.draw_ns(engine));
    const Histogram histogram = Recorded(values);
    std::sort(values.begin(), values.end());
    int64_t previous = 0;
    for (size_t per_myriad = 0; per_myriad <= 10'000; per_myriad += per_myriad < 9'900 ? 10 : 1) {
      const size_t rank = std::max<size_t>(1, (per_myriad * values.size() + 9'999) / 10'000);
      const int64_t exact = values[rank - 1];
      const int64_t actual = histogram.PercentileNs(static_cast<double>(per_myriad) / 100);
      ASSERT_LE(std::abs(actual - exact) * 1000, exact) << sample.name << " " << per_myriad;
      ASSERT_GE(actual, values.front()) << sample.name << " " << per_myriad;
      ASSERT_LE(actual, values.back()) << sample.name << " " << per_myriad;
      ASSERT_GE(actual, previous) << sample.name << " " << per_myriad;
      previous = actual;
    }
    EXPECT_EQ(histogram.PercentileNs(0), values.front()) << sample.name;
    EXPECT_EQ(histogram.PercentileNs(100), values.back()) << sample.name;
  }
}

TEST(Histogram, MergedEqualsRecordedTogether) {
  std::mt19937_64 engine(2);
  Histogram together;
  std::vector<Histogram> parts(3);
  for (int i = 0; i < 100'000; ++i) {
    // Of every size, above an hour too.
    const int64_t value_ns = static_cast<int64_t>(engine() >> (1 + engine() % 63));
    together.Record(value_ns);
    parts[engine() % parts.size()].Record(value_ns);
  }
  ASSERT_GT(together.overflow(), 0);
  Histogram merged;
  for (const Histogram& part : parts) merged.Add(part);
  ExpectSame(merged, together);
}

TEST(Histogram, AddingAnEmptyOneChangesNothing) {
  Histogram histogram = Recorded({50, 60});
  histogram.Add(Histogram());
  ExpectSame(histogram, Recorded({50, 60}));
  Histogram empty;
  empty.Add(Recorded({50, 60}));
  ExpectSame(empty, Recorded({50, 60}));
}

}  // namespace
}  // namespace sysfleet
