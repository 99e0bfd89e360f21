// A cell on this agent: spreads its connections over the reactors, and joins what these report.
//
// Created, called and told on one thread: the owner's, which `post` reaches from any other. It may
// be destroyed before Arm or after OnCellDone.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "agent/engine/cell_order.h"
#include "agent/engine/reactor_pool.h"
#include "agent/engine/shard.h"
#include "agent/engine/window.h"

namespace sysfleet {

struct CellEnd {
  /// Why the cell ended early, if it did.
  absl::Status status;
  int64_t elapsed_ns = 0;
  uint64_t unfinished = 0;
  uint64_t not_begun = 0;
  uint64_t warmup_left_out = 0;
  Fairness fairness;
};

class CellEvents {
 public:
  virtual ~CellEvents() = default;
  /// All connections are open and all statements prepared, or exactly what failed; OnCellDone
  /// follows a failure.
  virtual void OnCellArmed(const absl::Status& status) = 0;
  virtual void OnCellStarted(int64_t began_ns) = 0;
  /// Windows come in order, each once, merged over the reactors.
  virtual void OnCellWindow(const Window& window) = 0;
  virtual void OnCellDone(const CellEnd& end) = 0;
};

/// What the owner of a cell asks of it: the counterpart of CellEvents.
class CellControl {
 public:
  virtual ~CellControl() = default;
  virtual void Arm() = 0;
  /// `start_ns` is of this machine's steady clock.
  virtual void Start(int64_t start_ns) = 0;
  /// After the start: the warm-up has only so many windows, and the cell ends so much earlier. Does
  /// nothing where that is not fewer than planned.
  virtual void EndWarmup(uint32_t windows) = 0;
  /// No transaction begins any more; after `grace` whatever still runs is cut off.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

class Cell final : public CellControl {
 public:
  using Executor = std::function<void(std::function<void()>)>;

  Cell(ReactorPool& reactors, CellOrder order, Executor post, CellEvents& events);
  ~Cell() override;
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  void Arm() override;
  void Start(int64_t start_ns) override;
  void EndWarmup(uint32_t windows) override;
  void Stop(std::chrono::milliseconds grace) override;

 private:
  class Port;

  void OnArmed(const absl::Status& status);
  void OnStarted(int64_t began_ns);
  void OnWindow(size_t shard, std::unique_ptr<Window> window);
  void OnFailed(const absl::Status& status);
  void OnDone(const ShardEnd& end);
  void EmitWholeWindows();

  ReactorPool& reactors_;
  const CellOrder order_;
  const Executor post_;
  CellEvents& events_;
  WindowPool windows_;
  std::vector<std::shared_ptr<Port>> ports_;
  size_t armed_ = 0;
  bool armed_reported_ = false;
  size_t started_ = 0;
  int64_t began_ns_ = 0;
  size_t done_ = 0;
  CellEnd end_;
  // Windows by number, joined so far; and up to which number each shard has delivered.
  std::map<uint32_t, std::unique_ptr<Window>> pending_;
  std::vector<uint32_t> delivered_;
  std::vector<bool> shard_done_;
};

}  // namespace sysfleet
