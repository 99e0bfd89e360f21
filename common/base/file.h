// Files: read whole, written whole or not at all. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace sysfleet {

/// "path: what the system says to `error`", a value of errno: RESOURCE_EXHAUSTED where a disk or a
/// quota is full, PERMISSION_DENIED, NOT_FOUND; any other is UNAVAILABLE.
absl::Status FileError(const std::string& path, int error);

/// All of a file, which may be a pipe. RESOURCE_EXHAUSTED where it is larger than `bytes_max`;
/// other errors are the system's words.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, size_t bytes_max);

/// Writes `text` to a temporary file beside `path`, syncs and renames it, so that a crash leaves
/// the old file or the new one.
absl::Status ReplaceFile(const std::string& path, std::string_view text);

/// Makes what was named in a folder last.
absl::Status SyncFolder(const std::string& folder);

}  // namespace sysfleet
