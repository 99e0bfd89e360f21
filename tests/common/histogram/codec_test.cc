#include "common/histogram/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "common/base/status.h"
#include "sysfleet/v1/measurement.pb.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kHighest = Histogram::kHighestNs;

void ExpectSame(const Histogram& a, const Histogram& b) {
  EXPECT_EQ(a.count(), b.count());
  EXPECT_EQ(a.overflow(), b.overflow());
  EXPECT_EQ(a.sum_ns(), b.sum_ns());
  EXPECT_EQ(a.min_ns(), b.min_ns());
  EXPECT_EQ(a.max_ns(), b.max_ns());
  EXPECT_EQ(a.buckets(), b.buckets());
}

Histogram Random(uint64_t seed) {
  std::mt19937_64 engine(seed);
  Histogram histogram;
  for (int i = 0; i < 5000; ++i) {
    histogram.Record(static_cast<int64_t>(engine() >> (1 + engine() % 63)));
  }
  return histogram;
}

TEST(ProtoCodec, ListsOnlyFullBuckets) {
  Histogram histogram;
  for (const int64_t value : {5, 5, 9, 2048, 2049}) histogram.Record(value);
  histogram.Record(kHighest + 1);
  v1::Histogram message;
  message.set_overflow(99);  // To be replaced.
  ToProto(histogram, message);
  EXPECT_THAT(message.index_deltas(), ElementsAre(5, 4, 2039));
  EXPECT_THAT(message.counts(), ElementsAre(2, 1, 2));
  EXPECT_EQ(message.min_ns(), 5);
  EXPECT_EQ(message.max_ns(), kHighest + 1);
  EXPECT_EQ(message.sum_ns(), 5 + 5 + 9 + 2048 + 2049 + kHighest + 1);
  EXPECT_EQ(message.overflow(), 1);
}

TEST(ProtoCodec, AddsMessagesAsIfRecordedTogether) {
  Histogram expected;
  Histogram decoded;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Histogram part = Random(seed);
    expected.Add(part);
    v1::Histogram message;
    ToProto(part, message);
    ASSERT_TRUE(AddProto(message, decoded).ok());
  }
  ExpectSame(decoded, expected);
}

TEST(ProtoCodec, CarriesACoarseHistogramToo) {
  CoarseHistogram histogram;
  for (const int64_t value : {31, 33, 98'304, 102'399}) histogram.Record(value);
  v1::Histogram message;
  ToProto(histogram, message);
  // 16 buckets an octave: 32 and 33 share the first of the second octave.
  EXPECT_THAT(message.index_deltas(), ElementsAre(31, 1, 184));
  EXPECT_THAT(message.counts(), ElementsAre(1, 1, 2));
  CoarseHistogram decoded;
  decoded.Record(5);
  ASSERT_TRUE(AddProto(message, decoded).ok());
  histogram.Record(5);
  EXPECT_EQ(decoded.buckets(), histogram.buckets());
  EXPECT_EQ(decoded.sum_ns(), histogram.sum_ns());
  EXPECT_EQ(decoded.max_ns(), 102'399);
  message.set_index_deltas(2, 592);  // 31 + 1 + 592 is the first that a coarse one has not.
  EXPECT_THAT(Message(AddProto(message, decoded)), HasSubstr("bucket 624, expected below 624"));
}

TEST(ProtoCodec, CarriesOverflowAlone) {
  Histogram histogram;
  histogram.Record(kHighest + 5);
  v1::Histogram message;
  ToProto(histogram, message);
  Histogram decoded;
  ASSERT_TRUE(AddProto(message, decoded).ok());
  ExpectSame(decoded, histogram);
}

TEST(ProtoCodec, AnEmptyMessageDoesNotTouchTheMinimum) {
  v1::Histogram message;
  ToProto(Histogram(), message);
  Histogram histogram;
  histogram.Record(700);
  ASSERT_TRUE(AddProto(message, histogram).ok());
  EXPECT_EQ(histogram.min_ns(), 700);
  EXPECT_EQ(histogram.count(), 1);
}

TEST(ProtoCodec, RefusesWhatNoHistogramSays) {
  struct Case {
    std::vector<uint32_t> deltas;
    std::vector<uint64_t> counts;
    uint64_t min_ns;
    uint64_t max_ns;
    std::string why;
  };
  const auto past_end = static_cast<uint32_t>(Histogram::kBuckets);
  const Case cases[] = {
      {{1, 2}, {1}, 1, 2, "2 indexes but 1 counts"},
      {{}, {1}, 1, 2, "0 indexes but 1 counts"},
      {{past_end}, {1}, 1, 2, "bucket 33792, expected below 33792"},
      {{past_end - 1, 1}, {1, 1}, 1, 2, "bucket 33792"},
      {{UINT32_MAX, 2}, {1, 1}, 1, 2, "bucket 4294967297"},  // Must not wrap around to 1.
      {{1}, {1}, 3, 2, "minimum 3 and maximum 2"},
      {{1}, {1}, 1, UINT64_MAX, "maximum 18446744073709551615"},
      {{5, 2}, {1, 1}, 6, 7, "buckets 5 to 7, beyond its minimum 6 or maximum 7"},
      {{5, 2}, {1, 1}, 5, 6, "buckets 5 to 7, beyond its minimum 5 or maximum 6"},
  };
  for (const Case& c : cases) {
    v1::Histogram message;
    for (const uint32_t delta : c.deltas) message.add_index_deltas(delta);
    for (const uint64_t count : c.counts) message.add_counts(count);
    message.set_min_ns(c.min_ns);
    message.set_max_ns(c.max_ns);
    Histogram histogram = Random(1);
    const absl::Status status = AddProto(message, histogram);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.why;
    EXPECT_THAT(Message(status), HasSubstr(c.why));
    ExpectSame(histogram, Random(1));
  }
}

// What HdrHistogram 2.1.11 for Java wrote (lowest 1, highest one hour, 3 digits) after recording
// the values beside it.
struct Golden {
  std::string name;
  std::string text;
  std::vector<std::pair<int64_t, uint64_t>> values_and_counts;
};

std::vector<Golden> Goldens() {
  std::vector<std::pair<int64_t, uint64_t>> steps;
  for (int64_t i = 1; i <= 1000; ++i) steps.emplace_back(i * 1000, 1);
  return {
      {"empty", "HISTFAAAACF4nJNpmSzMwMDAyAABzFAayGd2M9ixgMH+A1QEAFKmBEw=", {}},
      {"zero", "HISTFAAAACJ4nJNpmSzMwMDAyAABzFAayGd2M9ixgMH+A0SACQBSqARO", {{0, 1}}},
      {"edges",
       "HISTFAAAADZ4nJNpmSzMwMAgwgABzFCaEch0M9ixgMH+A0SAiemnPBPTb34mpv11bB/zmO6/YWQCAOaOCv8=",
       {{0, 1},
        {1, 1},
        {2047, 1},
        {2048, 1},
        {4095, 1},
        {4096, 1},
        {1'000'000, 3},
        {123'456'789, 1},
        {kHighest, 1}}},
      {"count of five bytes",
       "HISTFAAAAC14nJNpmSzMwMDAzQABzFCaEch0M9ixgMH+A0RgtTXTzemMrz48+BsNAKFFCsE=",
       {{7000, 1}, {5'000'000, 12'345'678'901}}},
      {"count of nine bytes",
       "HISTFAAAACh4nJNpmSzMwMDAwwABzFCaEch0M9ixgMH+A0Sg/TJjSwMUAACp7Ao2",
       {{5'000'000, INT64_MAX / 2 + 3}}},
      {"steps",
       "HISTFAAAAIp4nJNpmSzMwMB+mgECmKE0I5DpZrBjAYP9B4jAeX6ms/xMUzmYnrIzLWRh+sgMRcuZmL4zYkErGZmq"
       "mSrx4GwmayC0BZPk0bpM0kyyQIgg6c/nZ+Jl4gZiCESwsIsOV3l2JlYwZIbSqJB40VH9Q18/MxMDGsQQwAWJVkgL"
       "M0ctH7V8ZFgOAMVaPY4=",
       steps},
  };
}

Histogram InBuckets(const Golden& golden) {
  Histogram histogram;
  for (const auto& [value, count] : golden.values_and_counts) {
    histogram.AddBucket(Histogram::IndexOf(value), count);
  }
  return histogram;
}

std::string FromBase64(std::string_view text) {
  std::string bytes;
  EXPECT_TRUE(absl::Base64Unescape(absl::string_view(text.data(), text.size()), &bytes));
  return bytes;
}

std::string ToBase64(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

std::string BigEndian(uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

/// Packs what DecodeHdr will unpack, right or wrong.
std::string Pack(std::string_view plain) {
  uLongf size = compressBound(plain.size());
  std::string compressed(size, '\0');
  compress(reinterpret_cast<Bytef*>(compressed.data()), &size,
           reinterpret_cast<const Bytef*>(plain.data()), plain.size());
  compressed.resize(size);
  return ToBase64(BigEndian(0x1c849314, 4) + BigEndian(size, 4) + compressed);
}

/// What is in the compressed part.
std::string Unpack(std::string_view text) {
  const std::string compressed = FromBase64(text).substr(8);
  std::string plain(1 << 20, '\0');
  uLongf size = plain.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(plain.data()), &size,
                       reinterpret_cast<const Bytef*>(compressed.data()), compressed.size()),
            Z_OK);
  plain.resize(size);
  return plain;
}

/// A header with its fields as given, and the counts behind it.
std::string Plain(std::string_view counts, uint32_t cookie = 0x1c849313, uint32_t offset = 0,
                  uint32_t digits = 3, uint64_t lowest = 1, uint64_t highest = kHighest,
                  double ratio = 1.0) {
  return BigEndian(cookie, 4) + BigEndian(counts.size(), 4) + BigEndian(offset, 4) +
         BigEndian(digits, 4) + BigEndian(lowest, 8) + BigEndian(highest, 8) +
         BigEndian(std::bit_cast<uint64_t>(ratio), 8) + std::string(counts);
}

TEST(HdrCodec, WritesWhatHdrHistogramWrites) {
  // Compared before compression, whose result may differ between versions of zlib.
  for (const Golden& golden : Goldens()) {
    EXPECT_EQ(Unpack(EncodeHdr(InBuckets(golden))), Unpack(golden.text)) << golden.name;
  }
}

TEST(HdrCodec, ReadsWhatHdrHistogramWrote) {
  for (const Golden& golden : Goldens()) {
    const absl::StatusOr<Histogram> decoded = DecodeHdr(golden.text);
    ASSERT_TRUE(decoded.ok()) << golden.name << ": " << decoded.status();
    EXPECT_EQ(decoded->buckets(), InBuckets(golden).buckets()) << golden.name;
    EXPECT_EQ(decoded->count(), InBuckets(golden).count()) << golden.name;
  }
}

TEST(HdrCodec, SummarisesByTheMiddlesOfBuckets) {
  Histogram histogram;
  histogram.AddBucket(Histogram::IndexOf(10), 2);         // middle 10
  histogram.AddBucket(Histogram::IndexOf(1'000'000), 3);  // middle 1 000 192
  const absl::StatusOr<Histogram> decoded = DecodeHdr(EncodeHdr(histogram));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->min_ns(), 10);
  EXPECT_EQ(decoded->max_ns(), 1'000'192);
  EXPECT_EQ(decoded->sum_ns(), 2 * 10 + 3 * 1'000'192);
}

TEST(HdrCodec, ReadsBackAnyHistogram) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Histogram histogram = Random(seed);
    const absl::StatusOr<Histogram> decoded = DecodeHdr(EncodeHdr(histogram));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded->buckets(), histogram.buckets());
    EXPECT_EQ(decoded->count(), histogram.count() - histogram.overflow());
  }
}

TEST(HdrCodec, ReadsBackTheLargestHistogram) {
  // Every bucket with a count of nine bytes that does not compress.
  std::mt19937_64 engine(3);
  Histogram histogram;
  for (size_t i = 0; i < Histogram::kBuckets; ++i) {
    histogram.AddBucket(i, uint64_t{1} << 62 | engine() >> 2);
  }
  const absl::StatusOr<Histogram> decoded = DecodeHdr(EncodeHdr(histogram));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->buckets(), histogram.buckets());
}

TEST(HdrCodec, RefusesEveryTruncation) {
  for (const Golden& golden : Goldens()) {
    const std::string bytes = FromBase64(golden.text);
    for (size_t length = 0; length < bytes.size(); ++length) {
      ASSERT_EQ(DecodeHdr(ToBase64(bytes.substr(0, length))).status().code(),
                absl::StatusCode::kInvalidArgument)
          << golden.name << " cut to " << length;
    }
    EXPECT_FALSE(DecodeHdr(ToBase64(bytes + '\0')).ok()) << golden.name;
  }
}

TEST(HdrCodec, RefusesEveryFlippedBit) {
  for (const Golden& golden : Goldens()) {
    std::string bytes = FromBase64(golden.text);
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
      const absl::StatusOr<Histogram> decoded = DecodeHdr(ToBase64(bytes));
      // A few bits say how it was compressed, and not what.
      if (decoded.ok()) {
        ASSERT_EQ(decoded->buckets(), InBuckets(golden).buckets()) << bit;
      }
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    }
  }
}

TEST(HdrCodec, SurvivesDamageBehindTheChecksum) {
  std::mt19937_64 engine(4);
  const std::string plain = Unpack(Goldens().back().text);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = plain;
    damaged[engine() % damaged.size()] = static_cast<char>(engine());
    damaged[40 + engine() % (damaged.size() - 40)] = static_cast<char>(engine());
    const absl::StatusOr<Histogram> decoded = DecodeHdr(Pack(damaged));
    if (decoded.ok()) {
      EXPECT_LE(decoded->min_ns(), decoded->PercentileNs(50));
      EXPECT_LE(decoded->PercentileNs(50), decoded->max_ns());
    }
  }
}

TEST(HdrCodec, SaysWhyItRefuses) {
  const std::string one = "\x02";  // A count of 1.
  struct Case {
    std::string text;
    std::string why;
  };
  const Case cases[] = {
      {"", "cut off"},
      {"%%%%", "not base64"},
      {ToBase64("sixteen bytes !!"), "compressed format V2"},
      {Pack(""), "header is cut off"},
      {Pack(Plain(one).substr(0, 39)), "header is cut off"},
      {Pack(Plain(one) + one), "length is wrong"},
      {Pack(Plain(one, 0x1c849303)), "format V2"},
      {Pack(Plain(one, 0x1c849313, 1)), "shifted"},
      {Pack(Plain(one, 0x1c849313, 0, 2)), "got 2 from 1"},
      {Pack(Plain(one, 0x1c849313, 0, 3, 1000)), "got 3 from 1000"},
      {Pack(Plain(one, 0x1c849313, 0, 3, 1, 5000)), "to 5000"},
      {Pack(Plain(one, 0x1c849313, 0, 3, 1, kHighest, 0.5)), "ratio 0.5"},
      {Pack(Plain("\x80")), "last count is cut off"},
      {Pack(Plain(std::string(8, '\xff'))), "last count is cut off"},
      // -2^63 zeros, then as many as there are buckets and one count more.
      {Pack(Plain(std::string(9, '\xff') + one)), "above one hour"},
      {Pack(Plain("\xff\x8f\x04" + one)), "above one hour"},
      {Pack(std::string(1 << 20, '\0')), "too large"},
      {std::string(1 << 20, 'A'), "too large"},
  };
  for (const Case& c : cases) {
    const absl::Status status = DecodeHdr(c.text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.why;
    EXPECT_THAT(Message(status), HasSubstr(c.why));
  }
}

TEST(HdrCodec, TakesAsManyZerosAsThereAreBuckets) {
  EXPECT_TRUE(DecodeHdr(Pack(Plain("\xff\x8f\x04"))).ok());  // -33 792
}

}  // namespace
}  // namespace sysfleet
