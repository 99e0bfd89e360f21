#include "common/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace sysfleet {
namespace {

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

std::string FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

}  // namespace

absl::Status FileError(const std::string& path, int error) {
  const std::string message = fmt::format("{}: {}", path, std::generic_category().message(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return absl::ResourceExhaustedError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(message);
    default:
      return absl::UnavailableError(message);
  }
}

absl::Status ReplaceFile(const std::string& path, std::string_view text) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  int error = WriteAndSync(temporary, text);
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    return FileError(path, error);
  }
  return SyncFolder(FolderOf(path));
}

absl::Status SyncFolder(const std::string& folder) {
  const Descriptor descriptor(folder, O_RDONLY | O_DIRECTORY);
  if (!descriptor.is_open()) return FileError(folder, errno);
  const int error = descriptor.Sync();
  // Not every file system can sync a folder.
  if (error == 0 || error == EINVAL) return absl::OkStatus();
  return FileError(folder, error);
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, size_t bytes_max) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) return absl::NotFoundError(std::strerror(errno));
  std::string content(bytes_max + 1, '\0');
  errno = 0;
  const size_t bytes = std::fread(content.data(), 1, content.size(), file.get());
  if (std::ferror(file.get()) != 0) return absl::UnavailableError(std::strerror(errno));
  if (bytes > bytes_max) {
    return absl::ResourceExhaustedError(fmt::format("larger than {} KiB", bytes_max / 1024));
  }
  content.resize(bytes);
  return content;
}

}  // namespace sysfleet
