// Results as files. `result.json` is written whole and renamed, so that a crash leaves the old file
// or the new one; its format is in docs/result.md.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/result/result.h"

namespace sysfleet {

std::string ToJson(const RunResult& result);

/// INVALID_ARGUMENT where the text is not such a result; says where.
absl::StatusOr<RunResult> FromJson(std::string_view json);

/// One line a window and cell, with a head.
std::string WindowsCsv(const RunResult& result);

/// Makes a new folder "<parent>/<run id>" and returns its path; the parent is made too.
absl::StatusOr<std::string> CreateResultFolder(const std::string& parent,
                                               const std::string& run_id);

/// Writes `text` to a temporary file beside `path`, syncs and renames it.
absl::Status WriteFileAtomically(const std::string& path, std::string_view text);

/// plan.yaml, result.json, windows.csv into `folder`.
absl::Status StoreResult(const RunResult& result, const std::string& folder);

}  // namespace sysfleet
