#include "common/base/file.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "common/base/status.h"

namespace sysfleet {
namespace {

// Replacing files is tested with results, in tests/coordinator/result/.
TEST(FileError, HasACodeForWhatAPersonCanMend) {
  const struct {
    int error;
    absl::StatusCode code;
    const char* message;
  } cases[] = {
      {ENOSPC, absl::StatusCode::kResourceExhausted, "a/b: No space left on device"},
      {EDQUOT, absl::StatusCode::kResourceExhausted, "a/b: Disk quota exceeded"},
      {EACCES, absl::StatusCode::kPermissionDenied, "a/b: Permission denied"},
      {EROFS, absl::StatusCode::kPermissionDenied, "a/b: Read-only file system"},
      {ENOENT, absl::StatusCode::kNotFound, "a/b: No such file or directory"},
      {ENOTDIR, absl::StatusCode::kNotFound, "a/b: Not a directory"},
      {EIO, absl::StatusCode::kUnavailable, "a/b: Input/output error"},
  };
  for (const auto& c : cases) {
    const absl::Status status = FileError("a/b", c.error);
    EXPECT_EQ(status.code(), c.code) << c.message;
    EXPECT_EQ(Message(status), c.message);
  }
}

}  // namespace
}  // namespace sysfleet
