#include "coordinator/result/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "common/base/status.h"

namespace sysfleet {
namespace {

constexpr int kMaxFoldersOfOneName = 1000;

/// What the system said about `path`, and what a person can do about it.
absl::Status FileError(const std::string& path, int error) {
  const std::string reason = std::generic_category().message(error);
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return absl::ResourceExhaustedError(fmt::format(
          "{}: {}; free some space, or set report.directory to another disk", path, reason));
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(
          fmt::format("{}: {}; make its folder writable for this user, or set report.directory to "
                      "another one",
                      path, reason));
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(fmt::format("{}: {}; is its folder there?", path, reason));
    default:
      return absl::UnavailableError(fmt::format("{}: {}", path, reason));
  }
}

/// An open file or folder.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : fd_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}  // NOLINT(*-vararg)
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return fd_ >= 0; }

  /// 0 or the error's number, as all that follow.
  int Write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = write(fd_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      text.remove_prefix(static_cast<size_t>(written));
    }
    return 0;
  }
  int Sync() const { return fsync(fd_) == 0 ? 0 : errno; }
  /// Some file systems report here, and only here, that the disk is full.
  int Close() {
    const int fd = std::exchange(fd_, -1);
    return close(fd) == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

int WriteAndSync(const std::string& path, std::string_view text) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  if (!file.is_open()) return errno;
  if (const int error = file.Write(text); error != 0) return error;
  if (const int error = file.Sync(); error != 0) return error;
  return file.Close();
}

/// Makes a new name in a folder last.
absl::Status SyncFolder(const std::string& folder) {
  const Descriptor descriptor(folder, O_RDONLY | O_DIRECTORY);
  if (!descriptor.is_open()) return FileError(folder, errno);
  const int error = descriptor.Sync();
  // Not every file system can sync a folder.
  if (error == 0 || error == EINVAL) return absl::OkStatus();
  return FileError(folder, error);
}

std::string FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

}  // namespace

absl::Status WriteFileAtomically(const std::string& path, std::string_view text) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  int error = WriteAndSync(temporary, text);
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    return FileError(path, error);
  }
  return SyncFolder(FolderOf(path));
}

absl::StatusOr<std::string> CreateResultFolder(const std::string& parent,
                                               const std::string& run_id) {
  if (run_id.empty() || run_id.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(fmt::format("'{}' is no name for a folder", run_id));
  }
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error) return FileError(parent, error.value());
  for (int attempt = 1; attempt <= kMaxFoldersOfOneName; ++attempt) {
    const std::string name = attempt == 1 ? run_id : fmt::format("{}-{}", run_id, attempt);
    const std::string folder = (std::filesystem::path(parent) / name).string();
    if (mkdir(folder.c_str(), 0777) == 0) {
      SYSFLEET_RETURN_IF_ERROR(SyncFolder(parent));
      return folder;
    }
    if (errno != EEXIST) return FileError(folder, errno);
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
