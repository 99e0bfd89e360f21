// What the present transaction of a connection has done to tables, until it is known whether it
// stays. Not thread-safe; once it has grown, it allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agent/engine/program.h"
#include "agent/engine/window.h"

namespace sysfleet {

class EffectLog {
 public:
  /// `table` is counted from 0.
  void Note(size_t table, Effect effect, uint64_t rows) {
    pending_.push_back({table, effect, rows});
  }

  bool empty() const { return pending_.empty(); }

  /// The transaction was committed, or it is not known whether it was, or it was rolled back.
  void Commit(Window& window) { MoveTo(window.effects); }
  void Forget(Window& window) { MoveTo(window.unknown_effects); }
  void RollBack() { pending_.clear(); }

 private:
  struct Pending {
    size_t table = 0;
    Effect effect = Effect::kNone;
    uint64_t rows = 0;
  };

  void MoveTo(std::vector<TableEffects>& tables) {
    for (const Pending& pending : pending_) tables[pending.table].Add(pending.effect, pending.rows);
    pending_.clear();
  }

  std::vector<Pending> pending_;
};

}  // namespace sysfleet
