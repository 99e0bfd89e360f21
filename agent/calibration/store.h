// A calibration as a file, so that an agent can tell coordinators what its machine can drive.
// Thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/calibration/calibration.h"

namespace sysfleet {

std::string ToJson(const Calibration& calibration);

/// INVALID_ARGUMENT for what is no calibration of this format, or has figures that no machine can
/// have; says which.
absl::StatusOr<Calibration> CalibrationFromJson(std::string_view json);

/// Where it is kept unless a path is given: calibration.json in $STATE_DIRECTORY, which systemd
/// sets for a service, or in the user's state folder ($XDG_STATE_HOME, ~/.local/state). Nothing
/// where the environment names neither. `environment` is std::getenv.
std::optional<std::string> DefaultCalibrationPath(
    const std::function<const char*(const char*)>& environment);

/// Makes the folder too.
absl::Status StoreCalibration(const Calibration& calibration, const std::string& path);

/// NOT_FOUND where there is no file; FAILED_PRECONDITION where it was measured with another number
/// of cores than `cores`, this machine's; INVALID_ARGUMENT as CalibrationFromJson. Errors name the
/// path.
absl::StatusOr<Calibration> LoadCalibration(const std::string& path, int cores);

}  // namespace sysfleet
