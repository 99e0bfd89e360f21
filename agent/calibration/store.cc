#include "agent/calibration/store.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "common/base/file.h"
#include "common/base/status.h"

namespace sysfleet {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr std::string_view kFileName = "calibration.json";

// No machine is beyond these, nor will one be for long.
constexpr int kCoresMax = 65'536;
constexpr int kConnectionsMax = 1'000'000;
constexpr double kQpsMin = 100;
constexpr double kQpsMax = 100e6;

const char* NameOf(DriverFamily family) {
  return family == DriverFamily::kPostgresql ? "postgresql" : "mysql";
}

absl::StatusOr<DriverFamily> FamilyNamed(const std::string& name) {
  for (const DriverFamily family : {DriverFamily::kPostgresql, DriverFamily::kMysql}) {
    if (name == NameOf(family)) return family;
  }
  return absl::InvalidArgumentError(fmt::format("family: there is no '{}'", name));
}

absl::Status CheckRange(std::string_view key, double value, double min, double max) {
  if (value >= min && value <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: expected {} to {}, got {}", key, min, max, value));
}

absl::StatusOr<CoreRate> ReadRate(const Json& json) {
  const auto family = FamilyNamed(json.at("family").get<std::string>());
  if (!family.ok()) return family.status();
  // As a number of any kind, so that none wraps around before it is checked.
  const auto connections = json.at("connections").get<double>();
  const auto qps = json.at("qps_per_core").get<double>();
  SYSFLEET_RETURN_IF_ERROR(CheckRange("connections", connections, 1, kConnectionsMax));
  SYSFLEET_RETURN_IF_ERROR(CheckRange("qps_per_core", qps, kQpsMin, kQpsMax));
  return CoreRate{.family = *family, .connections = static_cast<int>(connections), .qps = qps};
}

absl::StatusOr<Calibration> Read(const Json& json) {
  if (const auto format = json.at("format").get<double>(); format != kFormat) {
    return absl::InvalidArgumentError(
        fmt::format("format: this agent reads {}, the file has {}", kFormat, format));
  }
  const auto cores = json.at("cores").get<double>();
  SYSFLEET_RETURN_IF_ERROR(CheckRange("cores", cores, 1, kCoresMax));
  Calibration calibration{.measured_at = json.at("measured_at").get<std::string>(),
                          .version = json.at("version").get<std::string>(),
                          .host = json.at("host").get<std::string>(),
                          .cores = static_cast<int>(cores)};
  for (const Json& entry : json.at("rates")) {
    auto rate = ReadRate(entry);
    if (!rate.ok()) return rate.status();
    calibration.rates.push_back(*rate);
  }
  return calibration;
}

}  // namespace

std::string ToJson(const Calibration& calibration) {
  Json json;
  json["format"] = kFormat;
  json["measured_at"] = calibration.measured_at;
  json["version"] = calibration.version;
  json["host"] = calibration.host;
  json["cores"] = calibration.cores;
  json["rates"] = Json::array();
  for (const CoreRate& rate : calibration.rates) {
    json["rates"].push_back({{"family", NameOf(rate.family)},
                             {"connections", rate.connections},
                             {"qps_per_core", rate.qps}});
  }
  return json.dump(2) + "\n";
}

absl::StatusOr<Calibration> CalibrationFromJson(std::string_view json) {
  try {
    return Read(Json::parse(json));
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
}

std::optional<std::string> DefaultCalibrationPath(
    const std::function<const char*(const char*)>& environment) {
  const auto folder = [&](const char* name) {
    const char* value = environment(name);
    return value == nullptr || value[0] != '/' ? std::string() : std::string(value);
  };
  std::filesystem::path path;
  if (const std::string state = folder("STATE_DIRECTORY"); !state.empty()) {
    // systemd separates several by colons; the first is as good as any.
    path = state.substr(0, state.find(':'));
  } else if (const std::string user_state = folder("XDG_STATE_HOME"); !user_state.empty()) {
    path = std::filesystem::path(user_state) / "sysfleet";
  } else if (const std::string home = folder("HOME"); !home.empty()) {
    path = std::filesystem::path(home) / ".local" / "state" / "sysfleet";
  } else {
    return std::nullopt;
  }
  return (path / kFileName).string();
}

absl::Status StoreCalibration(const Calibration& calibration, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return FileError(folder.string(), error.value());
  return ReplaceFile(path, ToJson(calibration));
}

absl::StatusOr<Calibration> LoadCalibration(const std::string& path, int cores) {
  errno = 0;
  std::ifstream file(path);
  if (!file) return FileError(path, errno);
  // Reads nothing where the path is a folder's.
  std::ostringstream text;
  text << file.rdbuf();
  auto calibration = CalibrationFromJson(text.str());
  if (!calibration.ok()) return Annotate(calibration.status(), path);
  if (calibration->cores == cores) return calibration;
  return absl::FailedPreconditionError(fmt::format(
      "{}: measured with {} cores, this machine has {}", path, calibration->cores, cores));
}

}  // namespace sysfleet
