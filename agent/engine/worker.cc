#include "agent/engine/worker.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/engine/arrival.h"
#include "common/base/clock.h"
#include "common/base/split.h"
#include "common/base/status.h"

namespace sysfleet {
namespace {

constexpr int64_t kMilli = 1'000'000;
// Between tries of a transaction, from the second on.
constexpr int64_t kRetryPauseMinNs = 1 * kMilli;
constexpr int64_t kRetryPauseMaxNs = 1'000 * kMilli;
// Between tries to open a lost connection again.
constexpr int64_t kReopenPauseMinNs = 100 * kMilli;
constexpr int64_t kReopenPauseMaxNs = 5'000 * kMilli;

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
      arguments_(program_.arguments_max()),
      transactions_left_(QuotaOf(context.order, connection)),
      sleeper_(context.reactor) {}

Worker::~Worker() = default;

void Worker::Arm(int64_t deadline_ns) {
  main_ = Run(deadline_ns);
  main_.Start();
}

void Worker::CutOff(std::string_view reason) {
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
    Outcome failure;
    failure.code = "connect";
    failure.message = Message(opened);
    context_.window->RecordError(Window::kConnecting, failure);
    pause_ns = std::min(2 * pause_ns, kReopenPauseMaxNs);
  }
}

// One coroutine frame for all transactions: executing a statement must not allocate.
Task<> Worker::RunTransactions() {
  while (transactions_left_ > 0 && context_.running()) {
    const size_t kind = program_.Pick(variables_.random());
    const std::vector<Instruction>& code = program_.transactions()[kind].code;
    in_transaction_ = true;
    int64_t begin_ns = 0;
    int64_t arrived_ns = 0;
    int attempt = 1;
    size_t next = 0;
    while (next < code.size()) {
      const Instruction instruction = code[next++];
      if (instruction.kind == Instruction::Kind::kDraw) {
        variables_.Draw(instruction.index);
        continue;
      }
      const ProgramStatement& statement = program_.statements()[instruction.index];
      Bind(statement);
      const int64_t sent_ns = SteadyNanos();
      if (begin_ns == 0) begin_ns = sent_ns;
      const Outcome& outcome =
          co_await connection_->Execute(program_.PreparedIndex(statement, variables_), arguments_);
      if (outcome.ok()) [[likely]] {
        arrived_ns = ArrivalOf(outcome.arrival_ns, sent_ns, context_.reactor.now_ns());
        context_.window->RecordStatement(instruction.index, outcome, arrived_ns - sent_ns);
        continue;
      }
      if (co_await Recover(instruction.index, attempt++) == Recovery::kGiveUp) {
        begin_ns = 0;
        break;
      }
      next = 0;
    }
    in_transaction_ = false;
    if (begin_ns == 0) continue;
    --transactions_left_;
    context_.window->transactions[kind].Record(arrived_ns - begin_ns);
    context_.last_completion_ns = context_.reactor.now_ns();
  }
}

// The transaction's statement failed: decides whether the transaction is tried again.
Task<Worker::Recovery> Worker::Recover(size_t statement, int attempt) {
  // A copy: the connection's outcome changes with its next operation.
  const Outcome failure = connection_->last_outcome();
  if (context_.stopping && failure.kind == OutcomeKind::kLost) co_return Recovery::kGiveUp;
  context_.window->RecordError(static_cast<int>(statement), failure);
  if (failure.kind == OutcomeKind::kLost) {
    co_await Reopen();
    co_return Recovery::kGiveUp;
  }
  if (!context_.order.retry.Covers(failure.code)) {
    events_.OnWorkerFailed(Describe(failure, program_.statements()[statement].name));
    co_return Recovery::kGiveUp;
  }
  if (connection_->InTransaction()) {
    const Outcome& rolled_back = co_await connection_->Query("ROLLBACK");
    if (!rolled_back.ok()) {
      if (context_.stopping) co_return Recovery::kGiveUp;
      context_.window->RecordError(static_cast<int>(statement), rolled_back);
      connection_->Close("ROLLBACK failed");
      co_await Reopen();
      co_return Recovery::kGiveUp;
    }
  }
  if (attempt > 1) {
    const int doublings = std::min(attempt - 2, 10);
    const int64_t pause_ns = std::min(kRetryPauseMinNs << doublings, kRetryPauseMaxNs);
    co_await sleeper_.Until(SteadyNanos() + Jittered(pause_ns));
  }
  if (!context_.running()) co_return Recovery::kGiveUp;
  ++context_.window->retries;
  co_return Recovery::kTryAgain;
}

void Worker::Bind(const ProgramStatement& statement) {
  for (size_t i = 0; i < statement.arguments.size(); ++i) {
    arguments_[i] = variables_[statement.arguments[i]];
  }
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
