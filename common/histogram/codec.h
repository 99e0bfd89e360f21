// Histograms as bytes: the sparse message of the agents' protocol, and HdrHistogram's own format
// (V2, compressed, base64), which its tools in every language read. Pure functions.
// Format: github.com/HdrHistogram/HdrHistogram, AbstractHistogram.encodeIntoCompressedByteBuffer.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/histogram/histogram.h"

namespace sysfleet {

namespace v1 {
class Histogram;
}

/// Only buckets that are not empty.
void ToProto(const Histogram& histogram, v1::Histogram& message);
void ToProto(const CoarseHistogram& histogram, v1::Histogram& message);

/// Adds a message, made from one of the same kind, to `histogram`. INVALID_ARGUMENT, and
/// `histogram` unchanged, where the message names a bucket that does not exist or its lists differ
/// in length.
absl::Status AddProto(const v1::Histogram& message, Histogram& histogram);
absl::Status AddProto(const v1::Histogram& message, CoarseHistogram& histogram);

/// HdrHistogram's compressed V2 form in base64. Overflow, and the exact minimum, maximum and sum,
/// are not part of that format.
std::string EncodeHdr(const Histogram& histogram);

/// INVALID_ARGUMENT for anything that EncodeHdr would not have written. Minimum, maximum and sum
/// are those of the buckets' middles; AddSummary gives exact ones.
absl::StatusOr<Histogram> DecodeHdr(std::string_view text);

}  // namespace sysfleet
