// One cell of the sweep as an agent executes it: its share of the connections and what they do.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/database/connection.h"
#include "agent/database/poller.h"
#include "agent/engine/arrivals.h"
#include "agent/engine/program.h"
#include "agent/engine/window.h"

namespace sysfleet {

/// Errors that roll the transaction back and try it again.
struct RetryPolicy {
  bool all = false;
  std::vector<std::string> codes;
  /// How often a transaction is tried again before it is given up; 0: without end.
  int retries_max = 0;

  bool Covers(const std::string& code) const {
    return all || std::find(codes.begin(), codes.end(), code) != codes.end();
  }
};

/// Makes the connections of a cell, so that the engine knows no driver. Thread-safe.
using ConnectionFactory =
    std::function<std::unique_ptr<Connection>(const ConnectionOptions&, Poller&)>;

struct CellOrder {
  std::shared_ptr<const Program> program;
  ConnectionFactory make_connection;
  /// Connection g of the fleet goes to node g modulo their number. Addresses are resolved.
  std::vector<ConnectionOptions> nodes;
  int connections = 0;
  int64_t first_connection = 0;
  int64_t fleet_connections = 0;
  uint64_t seed = 0;
  /// Where the unique ids of the cell begin, the same for the whole fleet.
  uint64_t unique_base = 0;
  uint32_t warmup_windows = 0;
  /// 0: only transactions_limit ends the cell.
  uint32_t measured_windows = 0;
  /// Over the whole fleet; 0: none.
  int64_t transactions_limit = 0;
  RetryPolicy retry;
  std::optional<OpenLoop> open_loop;
  /// Each connection is opened anew after so many of its transactions; 0: never.
  int64_t reconnect_every = 0;
  /// How long transactions may go on after the end of the last window before they are cut off.
  std::chrono::milliseconds drain{5'000};
  /// For all connections together while arming; for one when it is opened again.
  std::chrono::milliseconds connect_timeout{30'000};

  WindowShape window_shape() const {
    return {.transaction_kinds = program->transactions().size(),
            .statement_kinds = program->statements().size(),
            .tables_with_effects = program->tables_with_effects(),
            .open_loop = open_loop.has_value()};
  }
};

}  // namespace sysfleet
