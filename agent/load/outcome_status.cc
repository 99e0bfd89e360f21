#include "agent/load/outcome_status.h"

#include <fmt/format.h>

#include <string>

namespace sysfleet {
namespace {

constexpr size_t kDoingBytesMax = 120;

struct KnownCode {
  std::string_view code;
  absl::StatusCode meaning;
};

// SQLSTATEs have five characters, MySQL's numbers four, so that they cannot be mistaken.
constexpr KnownCode kKnownCodes[] = {
    {"40001", absl::StatusCode::kAborted},            // serialization failure
    {"40P01", absl::StatusCode::kAborted},            // deadlock
    {"55P03", absl::StatusCode::kAborted},            // lock not available
    {"1020", absl::StatusCode::kAborted},             // row changed since it was read
    {"1205", absl::StatusCode::kAborted},             // lock wait timeout
    {"1213", absl::StatusCode::kAborted},             // deadlock
    {"3101", absl::StatusCode::kAborted},             // group replication: certification failed
    {"9007", absl::StatusCode::kAborted},             // TiDB: write conflict
    {"23505", absl::StatusCode::kAlreadyExists},      // unique key
    {"1062", absl::StatusCode::kAlreadyExists},       // unique key
    {"53100", absl::StatusCode::kResourceExhausted},  // disk
    {"53200", absl::StatusCode::kResourceExhausted},  // memory
    {"53300", absl::StatusCode::kResourceExhausted},  // connections
    {"1021", absl::StatusCode::kResourceExhausted},   // disk
    {"1040", absl::StatusCode::kResourceExhausted},   // connections
    {"1114", absl::StatusCode::kResourceExhausted},   // table
    {"1203", absl::StatusCode::kResourceExhausted},   // connections of a user
    {"28P01", absl::StatusCode::kPermissionDenied},   // password
    {"28000", absl::StatusCode::kPermissionDenied},   // user
    {"42501", absl::StatusCode::kPermissionDenied},   // right
    {"1044", absl::StatusCode::kPermissionDenied},    // database
    {"1045", absl::StatusCode::kPermissionDenied},    // user or password
    {"1142", absl::StatusCode::kPermissionDenied},    // table
    {"3D000", absl::StatusCode::kNotFound},           // database
    {"1049", absl::StatusCode::kNotFound},            // database
};

absl::StatusCode CodeOf(const Outcome& outcome) {
  for (const KnownCode& known : kKnownCodes) {
    if (known.code == outcome.code) return known.meaning;
  }
  return outcome.kind == OutcomeKind::kLost ? absl::StatusCode::kUnavailable
                                            : absl::StatusCode::kFailedPrecondition;
}

std::string Shortened(std::string_view text) {
  if (text.size() <= kDoingBytesMax) return std::string(text);
  return fmt::format("{}…", text.substr(0, kDoingBytesMax));
}

}  // namespace

absl::Status ToStatus(const Outcome& outcome, const Endpoint& node, std::string_view doing) {
  if (outcome.ok()) return absl::OkStatus();
  return {CodeOf(outcome), fmt::format("database {}: {}: {} ({})", ToString(node), Shortened(doing),
                                       outcome.message, outcome.code)};
}

}  // namespace sysfleet
