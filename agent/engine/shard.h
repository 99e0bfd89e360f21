// One reactor's part of a cell: its workers, their windows, and the moments of start and end.
// Everything is called on the reactor's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "agent/engine/cell_order.h"
#include "agent/engine/fairness.h"
#include "agent/engine/reactor.h"
#include "agent/engine/window.h"
#include "agent/engine/worker.h"

namespace sysfleet {

/// Windows to fill, kept for use again: a window is large, and a reactor should not wait for
/// memory. Thread-safe.
class WindowPool {
 public:
  explicit WindowPool(const WindowShape& shape) : shape_(shape) {}

  std::unique_ptr<Window> Take();
  void Return(std::unique_ptr<Window> window);

 private:
  const WindowShape shape_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Window>> spare_;  // guarded by mutex_
};

struct ShardEnd {
  /// From the start to the last completed transaction; 0 if there was none.
  int64_t elapsed_ns = 0;
  /// Transactions that were cut off.
  uint64_t unfinished = 0;
  /// Intended starts of an open loop that were never begun, and those of the warm-up left out.
  uint64_t not_begun = 0;
  uint64_t warmup_left_out = 0;
  Fairness fairness;
};

/// Called on the reactor's thread.
class ShardEvents {
 public:
  virtual ~ShardEvents() = default;
  virtual void OnShardArmed(const absl::Status& status) = 0;
  virtual void OnShardStarted(int64_t began_ns) = 0;
  virtual void OnShardWindow(std::unique_ptr<Window> window) = 0;
  virtual void OnShardFailed(const absl::Status& status) = 0;
  /// The last call. No worker is left.
  virtual void OnShardDone(const ShardEnd& end) = 0;
};

class Shard final : private BatchObserver, private WorkerEvents {
 public:
  /// Connections are the global numbers that belong to this shard. `order`, `pool` and `events`
  /// must outlive it.
  Shard(Reactor& reactor, const CellOrder& order, std::vector<int64_t> connections,
        WindowPool& pool, ShardEvents& events);
  ~Shard() override;

  void Arm();
  void Start(int64_t start_ns);
  void EndWarmup(uint32_t windows);
  /// No transaction begins any more; after `grace` whatever still runs is cut off.
  void Stop(std::chrono::milliseconds grace);

 private:
  void OnBatch(int64_t arrival_ns) override;
  void OnWorkerArmed(const absl::Status& status) override;
  void OnWorkerFailed(const absl::Status& status) override;
  void OnWorkerEnded() override;

  void ArmMore();
  void ReportArmed(const absl::Status& status);
  void Release();
  void CloseWindow();
  void EmitWindow();
  void CountQueue();
  void ScheduleBoundary();
  void ScheduleEnd();
  /// In all, behind which the cell has ended.
  uint32_t windows() const;
  void CutOffAll(std::string_view reason);
  void FinishIfAllEnded();
  void Finish();

  Reactor& reactor_;
  const CellOrder& order_;
  WindowPool& pool_;
  ShardEvents& events_;
  WorkerContext context_;
  std::vector<std::unique_ptr<Worker>> workers_;
  size_t arming_begun_ = 0;
  size_t arming_ended_ = 0;
  size_t workers_ended_ = 0;
  bool armed_reported_ = false;
  bool released_ = false;  // the start has come
  bool finishing_ = false;
  int64_t deadline_ns_ = 0;
  int64_t cut_off_ns_ = INT64_MAX;
  int64_t start_ns_ = 0;
  int64_t window_end_ns_ = INT64_MAX;
  std::unique_ptr<Window> window_;
  ShardEnd end_;
  Reactor::TimerId arm_timer_{};
  Reactor::TimerId start_timer_{};
  Reactor::TimerId boundary_timer_{};
  Reactor::TimerId end_timer_{};
  Reactor::TimerId cut_off_timer_{};
};

}  // namespace sysfleet
