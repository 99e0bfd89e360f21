// One connection of a cell and the coroutine that keeps it busy: transactions one after another, or
// at their intended starts. Lives on its reactor's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "agent/engine/arrivals.h"
#include "agent/engine/cell_order.h"
#include "agent/engine/effect_log.h"
#include "agent/engine/generator.h"
#include "agent/engine/pass.h"
#include "agent/engine/reactor.h"
#include "agent/engine/statement_sender.h"
#include "agent/engine/task.h"
#include "agent/engine/window.h"

namespace sysfleet {

/// What a worker shares with the others of its shard.
struct WorkerContext {
  Reactor& reactor;
  const CellOrder& order;
  /// Where to record now.
  Window* window = nullptr;
  /// Transactions may begin as long as the present batch arrived before this.
  int64_t end_ns = INT64_MIN;
  int64_t start_ns = 0;
  uint32_t warmup_windows = 0;
  bool stopping = false;
  int64_t last_completion_ns = INT64_MIN;

  bool running() const { return !stopping && reactor.now_ns() < end_ns; }
};

class WorkerEvents {
 public:
  virtual ~WorkerEvents() = default;
  /// Connected and prepared, or why not. Once.
  virtual void OnWorkerArmed(const absl::Status& status) = 0;
  /// An error that the policy does not cover: the cell must end.
  virtual void OnWorkerFailed(const absl::Status& status) = 0;
  /// The last call; the worker may be destroyed once its coroutine has returned.
  virtual void OnWorkerEnded() = 0;
};

class Worker {
 public:
  /// `connection` is the global number.
  Worker(WorkerContext& context, WorkerEvents& events, int64_t connection);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Begins to connect and to prepare; must be done by `deadline_ns`.
  void Arm(int64_t deadline_ns);

  /// Ends a pause: the one before the start, or between two tries.
  void Wake() { sleeper_.Wake(); }

  /// Closes the connection at once, whatever it is doing.
  void CutOff(std::string_view reason);

  bool ended() const { return ended_; }
  bool connected() const { return connected_; }
  bool in_transaction() const { return in_transaction_; }

  /// Of an open loop, once it has ended: intended starts that were never begun, and those of the
  /// warm-up that were left out when the measurement began.
  int64_t not_begun() const { return not_begun_; }
  int64_t warmup_left_out() const { return warmup_left_out_; }

  /// Of an open loop: intended starts up to now that have not begun. To be asked at rising times.
  int64_t Queued(int64_t now_ns);

  /// In the measured windows: what it counted, and how long it was within transactions.
  uint64_t events() const { return events_in_all_; }
  int64_t busy_ns() const { return busy_ns_; }

 private:
  enum class Recovery : uint8_t { kTryAgain, kGiveUp };

  // The present transaction, over all its tries.
  struct Progress {
    int64_t intended_ns = 0;
    int64_t begin_ns = 0;    // its first statement was sent
    int64_t arrived_ns = 0;  // the last reply
    int64_t rows = 0;        // of bulk INSERTs
    int attempt = 1;
    bool rolled_back = false;
    bool given_up = false;
  };

  Task<> Run(int64_t deadline_ns);
  Task<absl::Status> Open(int64_t deadline_ns);
  Task<> Reopen();
  Task<> Renew();
  Task<> RunTransactions();
  Task<Recovery> Recover(size_t statement);
  Task<bool> RollBack(size_t statement);
  void LeaveWarmupBehind();
  bool IsOfWarmup() const;
  void CountNotBegun();
  void RecordReply(size_t statement, const Outcome& outcome, int64_t sent_ns);
  void RecordTransaction();
  void NoteEffects(const ProgramStatement& statement, const Outcome& outcome);
  void NoteLoss(const ProgramStatement& statement);
  bool Capture(const ProgramStatement& statement);
  Outcome TakeFailure();
  void RecordConnectError(const absl::Status& status);
  const ConnectionOptions& node() const;
  absl::Status Describe(const Outcome& outcome, std::string_view doing) const;
  int64_t Jittered(int64_t pause_ns);

  WorkerContext& context_;
  WorkerEvents& events_;
  const int64_t number_;
  const Program& program_;
  Variables variables_;
  Pass pass_;
  StatementSender sender_;
  Progress progress_;
  absl::Status capture_status_;
  const bool counts_effects_;
  EffectLog effects_;
  std::optional<Arrivals> arrivals_;
  std::optional<Arrivals> due_;  // the same, ahead of arrivals_ by what is queued
  uint64_t events_in_all_ = 0;
  int64_t busy_ns_ = 0;
  int64_t not_begun_ = 0;
  int64_t warmup_left_out_ = 0;
  int64_t transactions_left_;
  int64_t until_renewal_;
  std::unique_ptr<Connection> connection_;
  Sleeper sleeper_;
  bool connected_ = false;
  bool in_transaction_ = false;
  // In the database's sense, before the present statement.
  bool was_in_transaction_ = false;
  bool ended_ = false;
  bool is_cut_off_ = false;
  Task<> main_;
};

}  // namespace sysfleet
