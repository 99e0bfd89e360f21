// What a reactor records in one second, in plain arrays. A window belongs to one thread at a time:
// the reactor fills it between two boundaries and hands it over whole.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/database/connection.h"
#include "common/histogram/histogram.h"

namespace sysfleet {

namespace v1 {
class Snapshot;
}

struct WindowError {
  uint64_t count = 0;
  std::string example;
};

struct Window {
  Window(size_t transaction_kinds, size_t statement_kinds)
      : transactions(transaction_kinds), statements(statement_kinds) {}

  void RecordStatement(size_t statement, const Outcome& outcome, int64_t latency_ns) {
    statements[statement].Record(latency_ns);
    switch (outcome.kind) {
      case OutcomeKind::kRows:
        ++reads;
        break;
      case OutcomeKind::kChanged:
        ++writes;
        break;
      default:
        ++others;
    }
  }

  /// `statement` is kConnecting where the error belongs to none.
  void RecordError(int statement, const Outcome& outcome);

  /// As if all that `other` recorded had been recorded here; the health adds up.
  void Add(const Window& other);
  void Clear();

  static constexpr int kConnecting = -1;

  uint32_t number = 0;
  std::vector<Histogram> transactions;
  std::vector<Histogram> statements;
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t others = 0;
  uint64_t retries = 0;
  uint64_t reconnects = 0;
  // By code and statement.
  std::map<std::pair<std::string, int>, WindowError> errors;
  int64_t busy_ns = 0;
  int64_t loop_ns = 0;
  // Of the reactor that was busy for the largest part of its time.
  int64_t busiest_busy_ns = 0;
  int64_t busiest_loop_ns = 0;
  CoarseHistogram batches;  // how long they took
  uint32_t connected = 0;
};

/// All but sequence, cell and what the whole process and its machine used.
void ToProto(const Window& window, v1::Snapshot& snapshot);

}  // namespace sysfleet
