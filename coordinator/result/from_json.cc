#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/histogram/codec.h"
#include "coordinator/result/json_fields.h"
#include "coordinator/result/store.h"

namespace sysfleet {
namespace {

using Json = nlohmann::ordered_json;

/// More than a thousand cells of ten minutes each.
constexpr size_t kMaxBytes = size_t{256} << 20;

/// Fills the members it is shown from a JSON object. The first mistake is kept, with its place, and
/// ends the reading.
class JsonReader {
 public:
  JsonReader(const Json& object, std::string prefix, absl::Status& status)
      : object_(object), prefix_(std::move(prefix)), status_(status) {}

  template <typename T>
  void operator()(const char* key, T& value) {
    if (!status_.ok()) return;
    const auto found = object_.find(key);
    if (found == object_.end()) return Fail(prefix_ + key, "missing");
    Read(*found, prefix_ + key, value);
  }

  /// What older versions did not write is unknown.
  template <typename T>
  void operator()(const char* key, std::optional<T>& value) {
    if (!status_.ok()) return;
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) return;
    Read(*found, prefix_ + key, value.emplace());
  }

 private:
  void Fail(const std::string& place, std::string_view what) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(fmt::format("{}: {}", place, what));
  }

  void Read(const Json& json, const std::string& place, bool& value) {
    if (!json.is_boolean()) return Fail(place, "expected true or false");
    value = json.get<bool>();
  }
  void Read(const Json& json, const std::string& place, std::string& value) {
    if (!json.is_string()) return Fail(place, "expected a text");
    value = json.get<std::string>();
  }
  void Read(const Json& json, const std::string& place, double& value) {
    if (!json.is_number()) return Fail(place, "expected a number");
    value = json.get<double>();
  }
  template <typename T>
    requires std::is_integral_v<T>
  void Read(const Json& json, const std::string& place, T& value) {
    constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<T>::max());
    // nlohmann keeps a negative number, and no other, as signed.
    if (!json.is_number_unsigned() || json.get<uint64_t>() > kMax) {
      return Fail(place, fmt::format("expected a whole number from 0 to {}", kMax));
    }
    value = static_cast<T>(json.get<uint64_t>());
  }
  void Read(const Json& json, const std::string& place, CellStatus& value) {
    for (size_t i = 0; i < kCellStatusNames.size(); ++i) {
      if (json != kCellStatusNames[i]) continue;
      value = static_cast<CellStatus>(i);
      return;
    }
    Fail(place, fmt::format("expected one of {}", fmt::join(kCellStatusNames, ", ")));
  }
  template <typename T>
  void Read(const Json& json, const std::string& place, std::vector<T>& values) {
    if (!json.is_array()) return Fail(place, "expected a list");
    values.reserve(json.size());
    for (size_t i = 0; i < json.size() && status_.ok(); ++i) {
      Read(json[i], fmt::format("{}[{}]", place, i), values.emplace_back());
    }
  }
  template <typename T>
    requires std::is_class_v<T>
  void Read(const Json& json, const std::string& place, T& value) {
    if (!json.is_object()) return Fail(place, "expected an object");
    JsonReader reader(json, place + ".", status_);
    VisitFields(value, reader);
  }
  void Read(const Json& json, const std::string& place, Histogram& histogram);

  const Json& object_;
  std::string prefix_;
  absl::Status& status_;
};

void JsonReader::Read(const Json& json, const std::string& place, Histogram& histogram) {
  if (!json.is_object()) return Fail(place, "expected an object");
  uint64_t count = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  uint64_t sum_ns = 0;
  uint64_t overflow = 0;
  std::string hdr;
  JsonReader reader(json, place + ".", status_);
  reader("count", count);
  reader("min_ns", min_ns);
  reader("max_ns", max_ns);
  reader("sum_ns", sum_ns);
  reader("overflow", overflow);
  reader("hdr", hdr);
  if (!status_.ok()) return;
  const absl::StatusOr<Histogram> decoded = DecodeHdr(hdr);
  if (!decoded.ok()) return Fail(place + ".hdr", Message(decoded.status()));
  if (min_ns > max_ns) return Fail(place + ".max_ns", "expected at least min_ns");
  if (decoded->count() > 0 && (decoded->first_used() < Histogram::FirstUsed(min_ns) ||
                               decoded->used_end() > Histogram::UsedEnd(max_ns))) {
    return Fail(place + ".hdr", "expected values from min_ns to max_ns only");
  }
  // The decoded one's minimum, maximum and sum are those of its buckets; ours are exact.
  const std::vector<uint64_t>& buckets = decoded->buckets();
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i] > 0) histogram.AddBucket(i, buckets[i]);
  }
  if (histogram.count() + overflow > 0) histogram.AddSummary(min_ns, max_ns, sum_ns, overflow);
  if (histogram.count() != count) {
    Fail(place + ".count",
         fmt::format("expected {}, the number of values in hdr and overflow", histogram.count()));
  }
}

absl::StatusOr<Json> Parse(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string_view before = text.substr(0, error.byte == 0 ? 0 : error.byte - 1);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    return absl::InvalidArgumentError(
        fmt::format("line {}, column {}: this is not JSON", line, column));
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(fmt::format("this is not JSON: {}", error.what()));
  }
}

absl::Status CheckFormat(const Json& json) {
  if (!json.is_object()) return absl::InvalidArgumentError("expected an object");
  const auto format = json.find("format");
  if (format == json.end()) return absl::InvalidArgumentError("format: missing");
  if (!format->is_number_unsigned() || *format == 0) {
    return absl::InvalidArgumentError("format: expected a whole number from 1");
  }
  if (*format > kResultFormat) {
    return absl::InvalidArgumentError(
        fmt::format("format: this result is of format {}, and this sysfleet reads formats up to "
                    "{}; use the version that wrote it, or a newer one",
                    format->get<uint64_t>(), kResultFormat));
  }
  return absl::OkStatus();
}

/// Every window has a value for each of the run's percentiles: reports rely on it.
absl::Status CheckPercentiles(const RunResult& result) {
  for (size_t c = 0; c < result.cells.size(); ++c) {
    const std::vector<WindowResult>& windows = result.cells[c].windows;
    for (size_t w = 0; w < windows.size(); ++w) {
      if (windows[w].percentile_ns.size() == result.percentiles.size()) continue;
      return absl::InvalidArgumentError(
          fmt::format("cells[{}].windows[{}].percentile_ns: expected {} numbers, one for each of "
                      "percentiles",
                      c, w, result.percentiles.size()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RunResult> FromJson(std::string_view json) {
  if (json.size() > kMaxBytes) {
    return absl::InvalidArgumentError(
        fmt::format("{} MiB are too many for a result; expected {} MiB at most", json.size() >> 20,
                    kMaxBytes >> 20));
  }
  const absl::StatusOr<Json> parsed = Parse(json);
  if (!parsed.ok()) return parsed.status();
  SYSFLEET_RETURN_IF_ERROR(CheckFormat(*parsed));
  RunResult result;
  absl::Status status;
  JsonReader reader(*parsed, "", status);
  VisitFields(result, reader);
  SYSFLEET_RETURN_IF_ERROR(status);
  SYSFLEET_RETURN_IF_ERROR(CheckPercentiles(result));
  return result;
}

}  // namespace sysfleet
