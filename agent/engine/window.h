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
#include "agent/engine/program.h"
#include "common/histogram/histogram.h"

namespace sysfleet {

namespace v1 {
class Snapshot;
}

struct WindowError {
  uint64_t count = 0;
  std::string example;
};

/// What committed transactions did to a table; and those of which it is not known, since the
/// connection was lost at their COMMIT.
struct TableEffects {
  uint64_t increments = 0;
  uint64_t inserted = 0;
  uint64_t deleted = 0;

  void Add(Effect effect, uint64_t rows);
  void Add(const TableEffects& other);
  bool empty() const { return increments == 0 && inserted == 0 && deleted == 0; }
};

/// Of transactions of one kind.
struct PassCounts {
  /// What they count as, where that is not their number: a bulk INSERT counts its rows.
  uint64_t events = 0;
  uint64_t rolled_back = 0;
};

/// How many of what a window records.
struct WindowShape {
  size_t transaction_kinds = 0;
  size_t statement_kinds = 0;
  size_t tables_with_effects = 0;
  bool open_loop = false;
};

struct Window {
  explicit Window(const WindowShape& shape)
      : transactions(shape.transaction_kinds),
        responses(shape.open_loop ? shape.transaction_kinds : 0),
        waits(shape.open_loop ? shape.transaction_kinds : 0),
        passes(shape.transaction_kinds),
        statements(shape.statement_kinds),
        effects(shape.tables_with_effects),
        unknown_effects(shape.tables_with_effects) {}

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
  // By kind: from the first statement to the end; in an open loop also from the intended start to
  // the end, and to the real start.
  std::vector<Histogram> transactions;
  std::vector<Histogram> responses;
  std::vector<Histogram> waits;
  std::vector<PassCounts> passes;
  std::vector<Histogram> statements;
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t others = 0;
  uint64_t retries = 0;
  uint64_t reconnects = 0;
  uint64_t failed = 0;  // transactions that were given up
  // Open loop, at the window's end: intended starts that were due and not begun, and connections
  // within a transaction.
  uint64_t queued = 0;
  uint32_t active = 0;
  // By code and statement.
  std::map<std::pair<std::string, int>, WindowError> errors;
  // By table, from 1 at place 0.
  std::vector<TableEffects> effects;
  std::vector<TableEffects> unknown_effects;
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
