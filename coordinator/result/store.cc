#include "coordinator/result/store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "common/base/file.h"
#include "common/base/status.h"

namespace sysfleet {
namespace {

constexpr int kMaxFoldersOfOneName = 1000;

/// Adds what a person can do about a file that could not be written.
absl::Status WithAdvice(const absl::Status& status) {
  std::string_view advice;
  switch (status.code()) {
    case absl::StatusCode::kResourceExhausted:
      advice = "free some space, or set report.directory to another disk";
      break;
    case absl::StatusCode::kPermissionDenied:
      advice = "make its folder writable for this user, or set report.directory to another one";
      break;
    case absl::StatusCode::kNotFound:
      advice = "is its folder there?";
      break;
    default:
      return status;
  }
  return {status.code(), fmt::format("{}; {}", Message(status), advice)};
}

}  // namespace

absl::Status WriteFileAtomically(const std::string& path, std::string_view text) {
  return WithAdvice(ReplaceFile(path, text));
}

absl::StatusOr<std::string> CreateResultFolder(const std::string& parent,
                                               const std::string& run_id) {
  if (run_id.empty() || run_id.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(fmt::format("'{}' is no name for a folder", run_id));
  }
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error) return WithAdvice(FileError(parent, error.value()));
  for (int attempt = 1; attempt <= kMaxFoldersOfOneName; ++attempt) {
    const std::string name = attempt == 1 ? run_id : fmt::format("{}-{}", run_id, attempt);
    const std::string folder = (std::filesystem::path(parent) / name).string();
    if (mkdir(folder.c_str(), 0777) == 0) {
      SYSFLEET_RETURN_IF_ERROR(WithAdvice(SyncFolder(parent)));
      return folder;
    }
    if (errno != EEXIST) return WithAdvice(FileError(folder, errno));
  }
  return absl::AlreadyExistsError(
      fmt::format("{}/{}: there are {} results of this name; remove some", parent, run_id,
                  kMaxFoldersOfOneName));
}

absl::Status StoreResult(const RunResult& result, const std::string& folder) {
  SYSFLEET_RETURN_IF_ERROR(WriteFileAtomically(folder + "/plan.yaml", result.plan_yaml));
  SYSFLEET_RETURN_IF_ERROR(WriteFileAtomically(folder + "/windows.csv", WindowsCsv(result)));
  return WriteFileAtomically(folder + "/result.json", ToJson(result));
}

}  // namespace sysfleet
