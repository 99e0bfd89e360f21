// Views of a result for people and parsers. Pure functions of the result.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/result/result.h"

namespace sysfleet {

/// A vendor's figure for one cell.
struct ReferenceRow {
  std::string workload;
  int threads = 0;
  double tps = 0;
  double qps = 0;
  double p95_ms = 0;
};

/// Reads a CSV with a head of at least workload, threads, tps; qps and p95_ms (0 where left out). A
/// CSV in the form of yugabytedb-2026.1.2.csv (txn_per_s, queries_per_s, without threads: 0 then
/// matches any) is read too. Errors name file and line.
absl::StatusOr<std::vector<ReferenceRow>> ReadReference(const std::string& path);

/// Head and rows of a workload's table, aligned for a terminal; every line ends with a newline. The
/// row can be printed as its cell ends. "-" stands for what nothing was measured for; where the
/// cell is not complete, its status stands behind the figures. Columns for the reference are there
/// where it knows the workload.
std::string ConsoleHead(const RunResult& result, const std::string& workload,
                        const std::vector<ReferenceRow>& reference);
std::string ConsoleRow(const RunResult& result, const CellResult& cell,
                       const std::vector<ReferenceRow>& reference);

/// A line to stand below a workload's table where the client limits figures in it: which, and the
/// agent that was farthest beyond its limits. Else empty.
std::string ConsoleHint(const RunResult& result, const std::string& workload);

/// The whole run: head, one table a workload, the clients' load, errors, how it ended. GitHub's
/// Markdown.
std::string Markdown(const RunResult& result, const std::vector<ReferenceRow>& reference);

}  // namespace sysfleet
