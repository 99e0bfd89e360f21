// Our own share of a statement: a built-in workload on one connection that answers at once from
// memory, so that nothing is left but templates, generators, the coroutine, the recorder, and the
// wire protocol where that is asked for. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent/database/connection.h"
#include "agent/engine/program.h"
#include "agent/engine/window.h"

namespace sysfleet {

/// What is encoded for each statement, and which replies are read.
enum class Wire : uint8_t { kNone, kPostgresql, kMysql };

class Workbench {
 public:
  /// `workload` is a built-in one, on 4 tables of 100,000 rows.
  Workbench(const std::string& workload, Wire wire);

  /// Executes so many transactions, and connects and prepares before. Returns the statements.
  uint64_t Run(int64_t transactions);

 private:
  std::shared_ptr<const Program> program_;
  Wire wire_;
  Window window_;
};

}  // namespace sysfleet
