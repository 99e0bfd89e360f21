#include "agent/engine/worker.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/engine/arrival.h"
#include "agent/engine/capture.h"
#include "common/base/clock.h"
#include "common/base/split.h"
#include "common/base/status.h"

namespace sysfleet {
namespace {

constexpr int64_t kMicro = 1'000;
constexpr int64_t kMilli = 1'000'000;
// Between tries of a transaction, from the second on.
constexpr int64_t kRetryPauseMinNs = 1 * kMilli;
constexpr int64_t kRetryPauseMaxNs = 1'000 * kMilli;
// Between tries to open a lost connection again.
constexpr int64_t kReopenPauseMinNs = 100 * kMilli;
constexpr int64_t kReopenPauseMaxNs = 5'000 * kMilli;

// Keeps the random numbers of intended starts apart from those of the transactions, which are then
// the same as in a closed loop.
constexpr uint64_t kArrivalSeeds = 0x6172726976616c73;

// A statement whose result is to be captured gave none: the transaction is given up.
constexpr std::string_view kNoRow = "no_row";
// Its value was not of the variable's kind: the workload is wrong, and the cell ends.
constexpr std::string_view kNoCapture = "capture";

int64_t QuotaOf(const CellOrder& order, int64_t connection) {
  if (order.transactions_limit == 0) return INT64_MAX;
  return ShareOf(order.transactions_limit, order.fleet_connections, connection);
}

}  // namespace

Worker::Worker(WorkerContext& context, WorkerEvents& events, int64_t connection)
    : context_(context),
      events_(events),
      number_(connection),
      program_(*context.order.program),
      variables_(program_.generators(),
                 Random(MixSeed(context.order.seed, static_cast<uint64_t>(connection))),
                 UniqueIds(context.order.unique_base, static_cast<uint64_t>(connection),
                           static_cast<uint64_t>(context.order.fleet_connections)),
                 {connection, context.order.fleet_connections}),
      pass_(program_, variables_),
      sender_(program_, variables_),
      counts_effects_(program_.tables_with_effects() > 0),
      transactions_left_(QuotaOf(context.order, connection)),
      until_renewal_(context.order.reconnect_every),
      sleeper_(context.reactor) {
  const CellOrder& order = context.order;
  if (!order.open_loop) return;
  const uint64_t seed = MixSeed(MixSeed(order.seed, kArrivalSeeds), static_cast<uint64_t>(number_));
  arrivals_.emplace(*order.open_loop, number_, order.fleet_connections, seed);
  due_ = arrivals_;
}

Worker::~Worker() = default;

void Worker::Arm(int64_t deadline_ns) {
  main_ = Run(deadline_ns);
  main_.Start();
}

void Worker::CutOff(std::string_view reason) {
  is_cut_off_ = true;
  if (connection_) connection_->Close(reason);
  sleeper_.Wake();
}

Task<> Worker::Run(int64_t deadline_ns) {
  const absl::Status opened = co_await Open(deadline_ns);
  events_.OnWorkerArmed(opened);
  if (opened.ok()) {
    if (!context_.stopping) co_await sleeper_.Forever();
    co_await RunTransactions();
  }
  connection_->Close("the cell has ended");
  connected_ = false;
  ended_ = true;
  events_.OnWorkerEnded();
}

Task<absl::Status> Worker::Open(int64_t deadline_ns) {
  connection_ = context_.order.make_connection(node(), context_.reactor);
  const Reactor::TimerId timer = context_.reactor.CallAt(
      deadline_ns, [this] { connection_->Close("no answer within the time limit"); });
  const Outcome* outcome = &co_await connection_->Connect();
  std::string_view doing = "connecting";
  if (outcome->ok()) {
    outcome = &co_await connection_->Prepare(program_.prepared());
    doing = "preparing statements";
    if (outcome->kind == OutcomeKind::kError) {
      doing = program_.prepared()[static_cast<size_t>(outcome->rows)].sql;
    }
  }
  context_.reactor.Cancel(timer);
  connected_ = outcome->ok();
  if (connected_) co_return absl::OkStatus();
  co_return Describe(*outcome, doing);
}

void Worker::RecordConnectError(const absl::Status& status) {
  Outcome failure;
  failure.code = "connect";
  failure.message = Message(status);
  context_.window->RecordError(Window::kConnecting, failure);
}

Task<> Worker::Reopen() {
  connected_ = false;
  in_transaction_ = false;  // given up, and counted as an error
  int64_t pause_ns = kReopenPauseMinNs;
  while (context_.running()) {
    co_await sleeper_.Until(SteadyNanos() + Jittered(pause_ns));
    if (!context_.running()) co_return;
    const int64_t limit_ns = std::chrono::nanoseconds(context_.order.connect_timeout).count();
    const absl::Status opened = co_await Open(SteadyNanos() + limit_ns);
    if (opened.ok()) {
      ++context_.window->reconnects;
      co_return;
    }
    if (context_.stopping) co_return;  // what was cut off is no error of the database
    RecordConnectError(opened);
    pause_ns = std::min(2 * pause_ns, kReopenPauseMaxNs);
  }
}

// Every N transactions, as a user would who does not keep his connection.
Task<> Worker::Renew() {
  until_renewal_ = context_.order.reconnect_every;
  connection_->Close("opened anew");
  const int64_t limit_ns = std::chrono::nanoseconds(context_.order.connect_timeout).count();
  const absl::Status opened = co_await Open(SteadyNanos() + limit_ns);
  if (opened.ok()) {
    ++context_.window->reconnects;
  } else if (!context_.stopping) {
    RecordConnectError(opened);
    co_await Reopen();
  }
}

// One coroutine frame for all transactions: executing a statement must not allocate.
Task<> Worker::RunTransactions() {
  while (transactions_left_ > 0 && context_.running()) {
    progress_ = {};
    if (arrivals_) {
      LeaveWarmupBehind();
      progress_.intended_ns = context_.start_ns + arrivals_->next_ns();
      if (progress_.intended_ns > SteadyNanos()) co_await sleeper_.Until(progress_.intended_ns);
      if (!context_.running()) break;
      arrivals_->Advance();
    }
    pass_.Choose();
    in_transaction_ = true;
    for (Pass::Step step = pass_.Next(); step.action != Pass::Action::kEnd; step = pass_.Next()) {
      if (step.action == Pass::Action::kThink) {
        if (!context_.running()) continue;
        co_await sleeper_.Until(SteadyNanos() + kMicro * variables_[step.index].integer);
        continue;
      }
      const ProgramStatement& statement = program_.statements()[step.index];
      sender_.Begin(statement, transactions_left_);
      bool executed = true;
      do {
        sender_.Write();
        if (counts_effects_) was_in_transaction_ = connection_->InTransaction();
        const int64_t sent_ns = SteadyNanos();
        if (progress_.begin_ns == 0) progress_.begin_ns = sent_ns;
        const Outcome& outcome = co_await sender_.Send(*connection_);
        executed = outcome.ok();
        if (executed) [[likely]]
          RecordReply(step.index, outcome, sent_ns);
      } while (executed && sender_.has_more());
      if (executed && !statement.captures.empty()) executed = Capture(statement);
      if (executed) [[likely]]
        continue;
      if (co_await Recover(step.index) == Recovery::kGiveUp) {
        progress_.given_up = true;
        break;
      }
      pass_.Restart();
    }
    in_transaction_ = false;
    if (!progress_.given_up) RecordTransaction();
    if (--until_renewal_ == 0 && context_.running()) co_await Renew();
  }
  CountNotBegun();
}

void Worker::RecordReply(size_t index, const Outcome& outcome, int64_t sent_ns) {
  const ProgramStatement& statement = program_.statements()[index];
  progress_.arrived_ns = ArrivalOf(outcome.arrival_ns, sent_ns, context_.reactor.now_ns());
  context_.window->RecordStatement(index, outcome, progress_.arrived_ns - sent_ns);
  if (statement.rows && statement.rows->count == 0) progress_.rows += sender_.rows_written();
  if (statement.rolls_back) progress_.rolled_back = true;
  if (counts_effects_) NoteEffects(statement, outcome);
}

void Worker::RecordTransaction() {
  Window& window = *context_.window;
  const size_t kind = pass_.kind();
  const auto events = static_cast<uint64_t>(std::max<int64_t>(progress_.rows, 1));
  transactions_left_ -= static_cast<int64_t>(events);
  context_.last_completion_ns = context_.reactor.now_ns();
  if (progress_.rolled_back) {
    ++window.passes[kind].rolled_back;
    return;
  }
  // A pass that only waits executes nothing.
  const bool idle = progress_.begin_ns == 0;
  const int64_t begin_ns = idle ? context_.reactor.now_ns() : progress_.begin_ns;
  const int64_t end_ns = idle ? begin_ns : progress_.arrived_ns;
  window.transactions[kind].Record(end_ns - begin_ns);
  window.passes[kind].events += events;
  if (window.number >= context_.warmup_windows) {
    events_in_all_ += events;
    busy_ns_ += end_ns - begin_ns;
  }
  if (!arrivals_ || IsOfWarmup()) return;
  window.responses[kind].Record(end_ns - progress_.intended_ns);
  window.waits[kind].Record(begin_ns - progress_.intended_ns);
}

// It was to begin in the warm-up, and ends in the measurement: how long it waited is not measured.
bool Worker::IsOfWarmup() const {
  const uint32_t warmup = context_.warmup_windows;
  return context_.window->number >= warmup &&
         progress_.intended_ns - context_.start_ns < warmup * kNanosPerSecond;
}

// What was not begun in the warm-up must not make the measurement begin with a backlog.
void Worker::LeaveWarmupBehind() {
  const int64_t warmup_ns = context_.warmup_windows * kNanosPerSecond;
  if (context_.reactor.now_ns() - context_.start_ns < warmup_ns) return;
  warmup_left_out_ += arrivals_->SkipTo(warmup_ns);
}

int64_t Worker::Queued(int64_t now_ns) {
  if (!arrivals_) return 0;
  due_->SkipTo(now_ns - context_.start_ns);
  return std::max<int64_t>(0, due_->number() - arrivals_->number());
}

void Worker::CountNotBegun() {
  if (!arrivals_ || transactions_left_ <= 0) return;
  LeaveWarmupBehind();
  const int64_t until_ns = std::min(context_.end_ns, context_.reactor.now_ns());
  not_begun_ = arrivals_->SkipTo(until_ns - context_.start_ns);
}

void Worker::NoteEffects(const ProgramStatement& statement, const Outcome& outcome) {
  if (statement.effect != Effect::kNone && outcome.kind == OutcomeKind::kChanged) {
    effects_.Note(Program::Variant(statement, variables_), statement.effect,
                  static_cast<uint64_t>(outcome.rows));
  }
  if (statement.rolls_back) {
    effects_.RollBack();
  } else if (!effects_.empty() && !connection_->InTransaction()) {
    effects_.Commit(*context_.window);
  }
}

// Whether the server still committed is not known where the connection was lost at that moment.
void Worker::NoteLoss(const ProgramStatement& statement) {
  if (!statement.commits && was_in_transaction_) return effects_.RollBack();
  if (statement.effect != Effect::kNone) {
    const int64_t rows = statement.rows ? sender_.rows_written() : 1;
    effects_.Note(Program::Variant(statement, variables_), statement.effect,
                  static_cast<uint64_t>(rows));
  }
  effects_.Forget(*context_.window);
}

// Sets variables from the first row of the statement's result. False where that cannot be.
bool Worker::Capture(const ProgramStatement& statement) {
  const std::vector<ResultRow> rows = connection_->TakeRows();
  capture_status_ = CaptureRow(statement.captures, rows, program_.generators(), variables_);
  return capture_status_.ok();
}

// Of the result that was to be captured, or else of the statement.
Outcome Worker::TakeFailure() {
  if (capture_status_.ok()) return connection_->last_outcome();
  Outcome failure;
  failure.kind = OutcomeKind::kError;
  failure.code = absl::IsNotFound(capture_status_) ? kNoRow : kNoCapture;
  failure.message = Message(capture_status_);
  capture_status_ = absl::OkStatus();
  return failure;
}

// The transaction's statement failed: decides whether the transaction is tried again.
Task<Worker::Recovery> Worker::Recover(size_t statement) {
  // A copy: the connection's outcome changes with its next operation.
  const Outcome failure = TakeFailure();
  const bool lost = failure.kind == OutcomeKind::kLost;
  if (lost && counts_effects_) NoteLoss(program_.statements()[statement]);
  if (lost && is_cut_off_) co_return Recovery::kGiveUp;  // counted as unfinished
  context_.window->RecordError(static_cast<int>(statement), failure);
  if (lost) {
    ++context_.window->failed;
    co_await Reopen();
    co_return Recovery::kGiveUp;
  }
  effects_.RollBack();
  const RetryPolicy& retry = context_.order.retry;
  // Neither comes right by itself; a result of another kind is a mistake of the workload.
  const bool of_capture = failure.code == kNoRow || failure.code == kNoCapture;
  const bool retries = retry.Covers(failure.code) && !of_capture;
  if (!retries && failure.code != kNoRow) {
    events_.OnWorkerFailed(Describe(failure, program_.statements()[statement].name));
    co_return Recovery::kGiveUp;
  }
  const bool rolled_back = co_await RollBack(statement);
  if (!rolled_back) co_return Recovery::kGiveUp;
  const int attempt = progress_.attempt++;
  if (!retries || (retry.retries_max > 0 && attempt > retry.retries_max)) {
    ++context_.window->failed;
    co_return Recovery::kGiveUp;
  }
  if (attempt > 1) {
    const int doublings = std::min(attempt - 2, 10);
    const int64_t pause_ns = std::min(kRetryPauseMinNs << doublings, kRetryPauseMaxNs);
    co_await sleeper_.Until(SteadyNanos() + Jittered(pause_ns));
  }
  if (!context_.running()) {
    ++context_.window->failed;
    co_return Recovery::kGiveUp;
  }
  ++context_.window->retries;
  progress_.rows = 0;
  progress_.rolled_back = false;
  co_return Recovery::kTryAgain;
}

// False where the connection was lost over it.
Task<bool> Worker::RollBack(size_t statement) {
  if (!connection_->InTransaction()) co_return true;
  const Outcome& rolled_back = co_await connection_->Query("ROLLBACK");
  if (rolled_back.ok()) co_return true;
  if (is_cut_off_) co_return false;
  context_.window->RecordError(static_cast<int>(statement), rolled_back);
  ++context_.window->failed;
  connection_->Close("ROLLBACK failed");
  co_await Reopen();
  co_return false;
}

const ConnectionOptions& Worker::node() const {
  const auto& nodes = context_.order.nodes;
  return nodes[static_cast<size_t>(number_) % nodes.size()];
}

absl::Status Worker::Describe(const Outcome& outcome, std::string_view doing) const {
  const auto code = outcome.kind == OutcomeKind::kLost ? absl::StatusCode::kUnavailable
                                                       : absl::StatusCode::kFailedPrecondition;
  return {code, fmt::format("database {}: {}: {} ({})", ToString(node().node), doing,
                            outcome.message, outcome.code)};
}

// Half to one and a half of it, so that connections that failed together do not come back together.
int64_t Worker::Jittered(int64_t pause_ns) {
  return pause_ns / 2 + variables_.random().Uniform(0, pause_ns);
}

}  // namespace sysfleet
