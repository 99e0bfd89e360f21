#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "common/histogram/codec.h"
#include "coordinator/result/json_fields.h"
#include "coordinator/result/store.h"

namespace sysfleet {
namespace {

using Json = nlohmann::ordered_json;

/// Appends the fields it is shown to a JSON object, and what a reader without our code would have
/// to compute from them.
class JsonWriter {
 public:
  explicit JsonWriter(const std::vector<double>& percentiles) : percentiles_(percentiles) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    object_[key] = ToValue(value);
  }

  template <typename T>
  Json ToObject(const T& value) const {
    JsonWriter writer(percentiles_);
    VisitFields(value, writer);
    writer.Derive(value);
    return std::move(writer.object_);
  }

 private:
  template <typename T>
  Json ToValue(const T& value) const {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      return ToObject(value);
    }
  }
  template <typename T>
  Json ToValue(const std::vector<T>& values) const {
    Json array = Json::array();
    for (const T& value : values) array.push_back(ToValue(value));
    return array;
  }
  template <typename T>
  Json ToValue(const std::optional<T>& value) const {
    return value ? ToValue(*value) : Json();
  }
  Json ToValue(CellStatus status) const { return kCellStatusNames[static_cast<size_t>(status)]; }
  Json ToValue(const Histogram& histogram) const {
    Json object;
    object["count"] = histogram.count();
    object["min_ns"] = histogram.min_ns();
    object["max_ns"] = histogram.max_ns();
    object["sum_ns"] = histogram.sum_ns();
    object["overflow"] = histogram.overflow();
    object["mean_ns"] = histogram.MeanNs();
    Json percentile_ns = Json::array();
    for (const double percent : percentiles_) {
      percentile_ns.push_back(histogram.PercentileNs(percent));
    }
    object["percentile_ns"] = std::move(percentile_ns);
    object["hdr"] = EncodeHdr(histogram);
    return object;
  }

  template <typename T>
  void Derive(const T&) {}
  void Derive(const TableAudit& table) { object_["agrees"] = table.agrees(); }
  void Derive(const InvariantResult& invariant) { object_["holds"] = invariant.holds(); }
  void Derive(const AuditResult& audit) { object_["agrees"] = audit.agrees(); }
  void Derive(const CellResult& cell) {
    object_["tps"] = cell.Tps();
    object_["qps"] = cell.Qps();
    object_["errors_per_second"] = cell.ErrorsPerSecond();
    if (cell.open_loop) object_["open_loop"]["rate_missed"] = cell.RateMissed();
    object_["client_share"] = ToValue(cell.ClientShare());
    for (size_t i = 0; i < cell.agents.size(); ++i) {
      Json& agent = object_["agents"][i];
      agent["tps"] = cell.Tps(cell.agents[i]);
      agent["client_share"] = ToValue(cell.ClientShare(cell.agents[i]));
    }
  }

  const std::vector<double>& percentiles_;
  Json object_;
};

}  // namespace

std::string ToJson(const RunResult& result) {
  const Json json = JsonWriter(result.percentiles).ToObject(result);
  // Messages of servers need not be UTF-8; what is not is replaced.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sysfleet
