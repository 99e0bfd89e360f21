#include "common/histogram/codec.h"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "common/base/status.h"
#include "sysfleet/v1/measurement.pb.h"

namespace sysfleet {
namespace {

// In HdrHistogram's cookies the digit 1 of 0x10 stands for counts of variable length.
constexpr uint32_t kCookie = 0x1c849303 | 0x10;
constexpr uint32_t kCompressedCookie = 0x1c849304 | 0x10;
constexpr uint32_t kSignificantDigits = 3;
constexpr uint64_t kLowestNs = 1;
constexpr size_t kHeaderBytes = 40;
constexpr size_t kCompressedHeaderBytes = 8;
constexpr size_t kCountBytesMax = 9;
constexpr size_t kPayloadBytesMax = Histogram::kBuckets * kCountBytesMax;

absl::Status Malformed(std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("not an HdrHistogram of durations: {}", why));
}

template <typename Integer>
void PutBigEndian(Integer value, std::string& out) {
  for (int shift = (sizeof(value) - 1) * 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(value >> shift));
  }
}

/// Takes an integer from the front of `in`, which is long enough.
template <typename Integer>
Integer TakeBigEndian(std::string_view& in) {
  Integer value = 0;
  for (size_t i = 0; i < sizeof(value); ++i) {
    value = static_cast<Integer>(value << 8 | static_cast<unsigned char>(in[i]));
  }
  in.remove_prefix(sizeof(value));
  return value;
}

/// ZigZag LEB128 as HdrHistogram has it: the ninth byte, where there is one, carries eight bits.
void PutCount(int64_t value, std::string& out) {
  uint64_t rest = static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
  for (size_t i = 1; i < kCountBytesMax && rest > 0x7f; ++i) {
    out.push_back(static_cast<char>(rest | 0x80));
    rest >>= 7;
  }
  out.push_back(static_cast<char>(rest));
}

/// Takes a count from the front of `in`; false if `in` ends before the count does.
bool TakeCount(std::string_view& in, int64_t& value) {
  uint64_t bits = 0;
  for (size_t i = 0; i < in.size() && i < kCountBytesMax; ++i) {
    const auto byte = static_cast<unsigned char>(in[i]);
    const bool is_last = byte < 0x80 || i == kCountBytesMax - 1;
    const uint64_t part = i == kCountBytesMax - 1 ? byte : byte & 0x7f;
    bits |= part << (7 * i);
    if (!is_last) continue;
    in.remove_prefix(i + 1);
    value = static_cast<int64_t>(bits >> 1 ^ -(bits & 1));
    return true;
  }
  return false;
}

/// The counts up to the last bucket that is not empty; several empty ones in a row are a negative
/// number.
std::string EncodeCounts(const std::vector<uint64_t>& buckets) {
  size_t used = buckets.size();
  while (used > 1 && buckets[used - 1] == 0) --used;
  std::string counts;
  for (size_t i = 0; i < used;) {
    size_t end = i;
    while (end < used && buckets[end] == 0) ++end;
    const size_t zeros = end - i;
    if (zeros > 1) {
      PutCount(-static_cast<int64_t>(zeros), counts);
      i = end;
    } else {
      PutCount(static_cast<int64_t>(buckets[i++]), counts);
    }
  }
  return counts;
}

absl::Status DecodeCounts(std::string_view counts, Histogram& histogram) {
  size_t index = 0;
  while (!counts.empty()) {
    int64_t count = 0;
    if (!TakeCount(counts, count)) return Malformed("its last count is cut off");
    if (count < 0) {
      const uint64_t zeros = -static_cast<uint64_t>(count);
      if (zeros > Histogram::kBuckets - index) return Malformed("it has values above one hour");
      index += zeros;
      continue;
    }
    if (index >= Histogram::kBuckets) return Malformed("it has values above one hour");
    if (count > 0) {
      const int64_t middle_ns = Histogram::MiddleOf(index);
      const auto values = static_cast<uint64_t>(count);
      histogram.AddBucket(index, values);
      histogram.AddSummary(middle_ns, middle_ns, values * static_cast<uint64_t>(middle_ns), 0);
    }
    ++index;
  }
  return absl::OkStatus();
}

std::string Deflate(std::string_view plain) {
  uLongf size = compressBound(plain.size());
  std::string compressed(size, '\0');
  // It fails only for a lack of memory or of room, and compressBound is room enough.
  compress(reinterpret_cast<Bytef*>(compressed.data()), &size,
           reinterpret_cast<const Bytef*>(plain.data()), plain.size());
  compressed.resize(size);
  return compressed;
}

absl::StatusOr<std::string> Inflate(std::string_view compressed) {
  // Neither a lie about its size nor a bomb may cost more memory than the largest histogram.
  std::string plain(kHeaderBytes + kPayloadBytesMax, '\0');
  uLongf plain_size = plain.size();
  uLong compressed_size = compressed.size();
  const int result =
      uncompress2(reinterpret_cast<Bytef*>(plain.data()), &plain_size,
                  reinterpret_cast<const Bytef*>(compressed.data()), &compressed_size);
  if (result == Z_BUF_ERROR) return Malformed("it is cut off or too large");
  if (result != Z_OK || compressed_size != compressed.size()) {
    return Malformed("its compressed data is damaged");
  }
  plain.resize(plain_size);
  return plain;
}

absl::StatusOr<std::string> DecodeEnvelope(std::string_view text) {
  if (text.size() > compressBound(kHeaderBytes + kPayloadBytesMax) * 4 / 3) {
    return Malformed("it is too large");
  }
  std::string bytes;
  if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()), &bytes)) {
    return Malformed("it is not base64");
  }
  if (bytes.size() < kCompressedHeaderBytes) return Malformed("it is cut off");
  std::string_view in = bytes;
  if (TakeBigEndian<uint32_t>(in) != kCompressedCookie) {
    return Malformed("it is not in the compressed format V2");
  }
  if (TakeBigEndian<uint32_t>(in) != in.size()) return Malformed("its length is wrong");
  return Inflate(in);
}

/// Takes the header from the front of `in`.
absl::Status CheckHeader(std::string_view& in) {
  if (in.size() < kHeaderBytes) return Malformed("its header is cut off");
  if (TakeBigEndian<uint32_t>(in) != kCookie) return Malformed("it is not in the format V2");
  if (TakeBigEndian<uint32_t>(in) != in.size() - (kHeaderBytes - 8)) {
    return Malformed("its length is wrong");
  }
  if (TakeBigEndian<uint32_t>(in) != 0) return Malformed("its indexes are shifted");
  const auto digits = TakeBigEndian<uint32_t>(in);
  const auto lowest_ns = TakeBigEndian<uint64_t>(in);
  const auto highest_ns = TakeBigEndian<uint64_t>(in);
  const auto ratio = std::bit_cast<double>(TakeBigEndian<uint64_t>(in));
  if (digits != kSignificantDigits || lowest_ns != kLowestNs ||
      highest_ns != Histogram::kHighestNs || ratio != 1.0) {
    return Malformed(
        fmt::format("expected 3 digits from 1 to {} with ratio 1, got {} from {} to {} "
                    "with ratio {}",
                    Histogram::kHighestNs, digits, lowest_ns, highest_ns, ratio));
  }
  return absl::OkStatus();
}

/// For the layout of `H`.
template <typename H>
absl::Status CheckMessage(const v1::Histogram& message) {
  if (message.index_deltas_size() != message.counts_size()) {
    return absl::InvalidArgumentError(fmt::format("histogram with {} indexes but {} counts",
                                                  message.index_deltas_size(),
                                                  message.counts_size()));
  }
  uint64_t index = 0;
  for (const uint32_t delta : message.index_deltas()) index += delta;
  if (!message.index_deltas().empty() && index >= H::kBuckets) {
    return absl::InvalidArgumentError(
        fmt::format("histogram with bucket {}, expected below {}", index, H::kBuckets));
  }
  if (message.min_ns() > message.max_ns() || message.max_ns() > INT64_MAX) {
    return absl::InvalidArgumentError(fmt::format("histogram with minimum {} and maximum {} ns",
                                                  message.min_ns(), message.max_ns()));
  }
  if (!message.index_deltas().empty() &&
      (message.index_deltas(0) < H::FirstUsed(static_cast<int64_t>(message.min_ns())) ||
       index >= H::UsedEnd(static_cast<int64_t>(message.max_ns())))) {
    return absl::InvalidArgumentError(
        fmt::format("histogram with buckets {} to {}, beyond its minimum {} or maximum {} ns",
                    message.index_deltas(0), index, message.min_ns(), message.max_ns()));
  }
  return absl::OkStatus();
}

template <int kSubBucketBits>
void Write(const LogLinearHistogram<kSubBucketBits>& histogram, v1::Histogram& message) {
  message.Clear();
  size_t previous = 0;
  const std::vector<uint64_t>& buckets = histogram.buckets();
  const size_t end = histogram.used_end();
  for (size_t i = histogram.first_used(); i < end; ++i) {
    if (buckets[i] == 0) continue;
    message.add_index_deltas(static_cast<uint32_t>(i - previous));
    message.add_counts(buckets[i]);
    previous = i;
  }
  message.set_min_ns(static_cast<uint64_t>(histogram.min_ns()));
  message.set_max_ns(static_cast<uint64_t>(histogram.max_ns()));
  message.set_sum_ns(histogram.sum_ns());
  message.set_overflow(histogram.overflow());
}

template <int kSubBucketBits>
absl::Status Read(const v1::Histogram& message, LogLinearHistogram<kSubBucketBits>& histogram) {
  SYSFLEET_RETURN_IF_ERROR(CheckMessage<LogLinearHistogram<kSubBucketBits>>(message));
  // The minimum of an empty message is no value that was seen.
  if (message.counts().empty() && message.overflow() == 0) return absl::OkStatus();
  size_t index = 0;
  for (int i = 0; i < message.counts_size(); ++i) {
    index += message.index_deltas(i);
    histogram.AddBucket(index, message.counts(i));
  }
  histogram.AddSummary(static_cast<int64_t>(message.min_ns()),
                       static_cast<int64_t>(message.max_ns()), message.sum_ns(),
                       message.overflow());
  return absl::OkStatus();
}

}  // namespace

void ToProto(const Histogram& histogram, v1::Histogram& message) {
  Write(histogram, message);
}

void ToProto(const CoarseHistogram& histogram, v1::Histogram& message) {
  Write(histogram, message);
}

absl::Status AddProto(const v1::Histogram& message, Histogram& histogram) {
  return Read(message, histogram);
}

absl::Status AddProto(const v1::Histogram& message, CoarseHistogram& histogram) {
  return Read(message, histogram);
}

std::string EncodeHdr(const Histogram& histogram) {
  const std::string counts = EncodeCounts(histogram.buckets());
  std::string plain;
  plain.reserve(kHeaderBytes + counts.size());
  PutBigEndian(kCookie, plain);
  PutBigEndian(static_cast<uint32_t>(counts.size()), plain);
  PutBigEndian(uint32_t{0}, plain);  // Normalizing index offset: indexes are not shifted.
  PutBigEndian(kSignificantDigits, plain);
  PutBigEndian(kLowestNs, plain);
  PutBigEndian(static_cast<uint64_t>(Histogram::kHighestNs), plain);
  PutBigEndian(std::bit_cast<uint64_t>(1.0), plain);
  plain += counts;

  const std::string compressed = Deflate(plain);
  std::string bytes;
  bytes.reserve(kCompressedHeaderBytes + compressed.size());
  PutBigEndian(kCompressedCookie, bytes);
  PutBigEndian(static_cast<uint32_t>(compressed.size()), bytes);
  bytes += compressed;
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

absl::StatusOr<Histogram> DecodeHdr(std::string_view text) {
  absl::StatusOr<std::string> plain = DecodeEnvelope(text);
  if (!plain.ok()) return plain.status();
  std::string_view in = *plain;
  SYSFLEET_RETURN_IF_ERROR(CheckHeader(in));
  Histogram histogram;
  SYSFLEET_RETURN_IF_ERROR(DecodeCounts(in, histogram));
  return histogram;
}

}  // namespace sysfleet
