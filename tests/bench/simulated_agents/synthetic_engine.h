// An engine that executes nothing: its cells record latencies drawn beforehand, as many in every
// window, so that a thousand agents fit into one process. What leaves the agent is as real as
// anybody's: servers, sessions, windows and snapshots are the product's own.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "agent/engine/reactor_pool.h"
#include "agent/engine/window.h"
#include "agent/session/engine.h"

namespace sysfleet {

class SyntheticEngine final : public Engine {
 public:
  /// Each window has `transactions` of them, and of each kind of statement as many.
  explicit SyntheticEngine(size_t transactions);

  /// INVALID_ARGUMENT for a cell without an end.
  absl::StatusOr<std::unique_ptr<CellControl>> MakeCell(const v1::Arm& order, Executor post,
                                                        CellEvents& events) override;

  /// Every task is done at once, and answers with a server's version: what a coordinator asks for
  /// where the plan has `dataset: {existing: on}`.
  absl::StatusOr<std::unique_ptr<TaskControl>> MakeTasks(const v1::OpenTasks& order, Executor post,
                                                         TaskGroup::OpenedCallback on_opened,
                                                         TaskGroup::DoneCallback on_done) override;

  /// Steady clock, when the first cell began; 0 before.
  int64_t first_start_ns() const { return first_start_ns_; }
  /// Mean size of a filled snapshot, from one for each cell; 0 before the first cell.
  uint64_t snapshot_bytes() const;

 private:
  class Course;
  class SyntheticCell;

  // Transactions' and statements' kinds.
  using Shape = std::pair<size_t, size_t>;

  void EmitWindow(const Shape& shape, uint32_t number, CellEvents& events, size_t transactions);
  void MeasureSnapshot(const Shape& shape);
  // With the mutex held.
  Window& WindowOf(const Shape& shape);
  void Fill(Window& window, size_t transactions);

  const size_t transactions_;
  const std::vector<int64_t> latencies_ns_;
  std::atomic<int64_t> first_start_ns_ = 0;
  std::atomic<uint64_t> measured_snapshots_ = 0;
  std::atomic<uint64_t> measured_bytes_ = 0;
  std::mutex mutex_;
  // Guarded by mutex_. One window for all cells of a shape, which use it in turn: it is large, and
  // a thousand of them would cost more than all else.
  std::map<Shape, Window> windows_;
  size_t next_latency_ = 0;
  // Only wakes the cells. Last, so that it ends first.
  ReactorPool clock_{1, ReactorPool::Pinning::kNone};
};

}  // namespace sysfleet
