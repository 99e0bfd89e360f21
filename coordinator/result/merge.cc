#include "coordinator/result/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <deque>
#include <map>
#include <utility>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/histogram/codec.h"
#include "coordinator/result/load_sums.h"
#include "sysfleet/v1/measurement.pb.h"

namespace sysfleet {
namespace {

constexpr std::string_view kConnecting = "connect";

/// What one agent contributed to a window, or to all of them.
struct Contribution {
  uint64_t transactions = 0;
  uint64_t latency_sum_ns = 0;
  LoadSums load;

  void Add(const Contribution& other) {
    transactions += other.transactions;
    latency_sum_ns += other.latency_sum_ns;
    load.Add(other.load);
  }
};

/// A window that some agents have yet to deliver. The lease bounds how long an agent may keep the
/// others' windows waiting, and so how many of these there are.
struct PendingWindow {
  WindowResult sums;
  uint64_t retries = 0;
  uint64_t rolled_back = 0;
  uint64_t failed = 0;
  std::vector<Histogram> transactions;
  Histogram response;  // of an open loop, as is waiting
  Histogram waiting;
  std::vector<Histogram> statements;  // none in the warm-up, where nothing reads them
  std::vector<Contribution> agents;
  size_t delivered = 0;  // agents that delivered it, or ended before it
};

struct AgentState {
  uint64_t acknowledged = 0;
  bool ended = false;
  absl::Status broken;  // once a snapshot was taken in half, nothing after it can be trusted
  Contribution measured;
};

struct ErrorSum {
  uint64_t count = 0;
  std::string example;
};

uint64_t CountOf(const v1::Histogram& histogram) {
  uint64_t count = histogram.overflow();
  for (const uint64_t bucket : histogram.counts()) count += bucket;
  return count;
}

uint64_t TransactionsOf(const v1::Snapshot& snapshot) {
  uint64_t count = 0;
  for (const v1::Operation& kind : snapshot.transactions()) {
    count += kind.events() > 0 ? kind.events() : CountOf(kind.latency());
  }
  return count;
}

uint64_t LatencySumNs(const v1::Snapshot& snapshot) {
  uint64_t sum_ns = 0;
  for (const v1::Operation& kind : snapshot.transactions()) sum_ns += kind.latency().sum_ns();
  return sum_ns;
}

uint64_t ErrorsOf(const v1::Snapshot& snapshot) {
  uint64_t count = 0;
  for (const v1::ErrorCount& error : snapshot.errors()) count += error.count();
  return count;
}

uint64_t RolledBackOf(const v1::Snapshot& snapshot) {
  uint64_t count = 0;
  for (const v1::Operation& kind : snapshot.transactions()) count += kind.rolled_back();
  return count;
}

template <typename Operations>
absl::Status CheckIndexes(const Operations& operations, size_t kinds, std::string_view what) {
  for (const v1::Operation& operation : operations) {
    if (operation.index() < kinds) continue;
    return absl::InvalidArgumentError(
        fmt::format("{} {} is not one of the workload's {}", what, operation.index(), kinds));
  }
  return absl::OkStatus();
}

template <typename Operations>
absl::Status AddHistograms(const Operations& operations, std::vector<Histogram>& sums) {
  for (const v1::Operation& operation : operations) {
    SYSFLEET_RETURN_IF_ERROR(AddProto(operation.latency(), sums[operation.index()]));
  }
  return absl::OkStatus();
}

void AddAll(const std::vector<Histogram>& histograms, std::vector<OperationResult>& sums) {
  for (size_t i = 0; i < histograms.size(); ++i) {
    if (histograms[i].count() > 0) sums[i].latency.Add(histograms[i]);
  }
}

std::vector<OperationResult> Operations(const std::vector<std::string>& names) {
  std::vector<OperationResult> operations(names.size());
  for (size_t i = 0; i < names.size(); ++i) operations[i].name = names[i];
  return operations;
}

}  // namespace

struct CellMerger::State {
  explicit State(CellShape cell_shape);

  bool is_open_loop() const { return shape.rate_per_s > 0; }
  bool is_open_ended() const { return shape.measured_windows == 0; }
  /// The window behind the last, for what completed after the end.
  uint64_t tail_window() const {
    return static_cast<uint64_t>(shape.warmup_windows) +
           static_cast<uint64_t>(shape.measured_windows);
  }

  bool HasTail(const v1::Snapshot& snapshot) const {
    return !is_open_ended() && snapshot.window() == tail_window();
  }
  /// All agents came to an end of their own, and none to that of the measured windows.
  bool has_ended_early() const;

  absl::Status Check(const AgentState& agent, const v1::Snapshot& snapshot) const;
  void AddTotals(const v1::Snapshot& snapshot);
  void AddChanges(const v1::TableEffects& effects);
  absl::Status AddToWindow(size_t agent, const v1::Snapshot& snapshot);
  static absl::Status AddOpenLoop(const v1::Snapshot& snapshot, PendingWindow& window);
  PendingWindow NewWindow() const;
  void MergeWhole();
  void MergeFront();
  MergedWindow Summary(const PendingWindow& window) const;
  double MeasuredSeconds(int64_t elapsed_ns) const;
  std::vector<ErrorResult> Errors() const;
  std::vector<AgentCellResult> Agents() const;
  ClientLoad Load() const;

  CellShape shape;
  std::vector<AgentState> agents;
  std::deque<PendingWindow> pending;  // the front is window number `cell.windows.size()`
  std::vector<MergedWindow> fresh;    // merged and not taken yet
  std::map<std::pair<std::string, std::string>, ErrorSum> errors;  // by code and statement
  CellResult cell;
};

CellMerger::State::State(CellShape cell_shape)
    : shape(std::move(cell_shape)), agents(shape.agents.size()) {
  assert(shape.agents.size() == shape.connections.size());
  cell.number = shape.number;
  cell.workload = shape.workload;
  cell.threads = shape.threads;
  cell.repetition = shape.repetition;
  if (is_open_loop()) cell.open_loop.emplace().rate_per_s = shape.rate_per_s;
  cell.transaction_kinds = Operations(shape.transaction_names);
  cell.statements = Operations(shape.statement_names);
}

bool CellMerger::State::has_ended_early() const {
  return std::all_of(agents.begin(), agents.end(), [this](const AgentState& agent) {
    return agent.ended && agent.acknowledged <= tail_window();
  });
}

absl::Status CellMerger::State::Check(const AgentState& agent, const v1::Snapshot& snapshot) const {
  if (agent.ended) {
    return absl::InvalidArgumentError(
        fmt::format("{} was the last before its agent ended", agent.acknowledged));
  }
  if (snapshot.sequence() != agent.acknowledged + 1) {
    return absl::InvalidArgumentError(
        fmt::format("expected number {} next", agent.acknowledged + 1));
  }
  // One snapshot a window, and the first window is 0.
  if (snapshot.window() != agent.acknowledged) {
    return absl::InvalidArgumentError(
        fmt::format("it carries window {}, expected {}", snapshot.window(), agent.acknowledged));
  }
  if (!is_open_ended() && snapshot.window() > tail_window()) {
    return absl::InvalidArgumentError(fmt::format(
        "it carries window {}, but {} is the last of the cell", snapshot.window(), tail_window()));
  }
  SYSFLEET_RETURN_IF_ERROR(
      CheckIndexes(snapshot.transactions(), shape.transaction_names.size(), "transaction"));
  SYSFLEET_RETURN_IF_ERROR(
      CheckIndexes(snapshot.statements(), shape.statement_names.size(), "statement"));
  for (const v1::TableEffects& effects : snapshot.effects()) {
    if (effects.table() >= 1 && effects.table() <= static_cast<uint64_t>(shape.tables)) continue;
    return absl::InvalidArgumentError(
        fmt::format("changes of table {}, which is not one of {}", effects.table(), shape.tables));
  }
  for (const v1::ErrorCount& error : snapshot.errors()) {
    if (!error.has_statement() || error.statement() < shape.statement_names.size()) continue;
    return absl::InvalidArgumentError(
        fmt::format("error {} of statement {}, which is not one of the workload's {}", error.code(),
                    error.statement(), shape.statement_names.size()));
  }
  return absl::OkStatus();
}

void CellMerger::State::AddTotals(const v1::Snapshot& snapshot) {
  cell.total_transactions += TransactionsOf(snapshot);
  cell.total_rolled_back += RolledBackOf(snapshot);
  cell.total_failed += snapshot.failed();
  cell.total_reads += snapshot.reads();
  cell.total_writes += snapshot.writes();
  cell.total_others += snapshot.others();
  for (const v1::TableEffects& effects : snapshot.effects()) AddChanges(effects);
  for (const v1::ErrorCount& error : snapshot.errors()) {
    const std::string statement =
        error.has_statement() ? shape.statement_names[error.statement()] : std::string(kConnecting);
    ErrorSum& sum = errors[{error.code(), statement}];
    sum.count += error.count();
    if (sum.example.empty()) sum.example = error.example();
  }
}

void CellMerger::State::AddChanges(const v1::TableEffects& effects) {
  const size_t place = effects.table() - 1;
  if (place >= cell.table_changes.size()) cell.table_changes.resize(place + 1);
  TableChanges& changes = cell.table_changes[place];
  changes.increments += effects.increments();
  changes.inserted += effects.inserted();
  changes.deleted += effects.deleted();
  changes.increments_unknown += effects.increments_unknown();
  changes.inserted_unknown += effects.inserted_unknown();
  changes.deleted_unknown += effects.deleted_unknown();
}

PendingWindow CellMerger::State::NewWindow() const {
  PendingWindow window;
  const size_t number = cell.windows.size() + pending.size();
  window.sums.second = static_cast<int>(number);
  window.sums.measured = number >= static_cast<size_t>(shape.warmup_windows);
  window.transactions.resize(shape.transaction_names.size());
  if (window.sums.measured) window.statements.resize(shape.statement_names.size());
  window.agents.resize(agents.size());
  window.delivered = static_cast<size_t>(std::count_if(
      agents.begin(), agents.end(), [](const AgentState& agent) { return agent.ended; }));
  return window;
}

absl::Status CellMerger::State::AddToWindow(size_t agent, const v1::Snapshot& snapshot) {
  const size_t place = snapshot.window() - cell.windows.size();
  if (place == pending.size()) pending.push_back(NewWindow());
  PendingWindow& window = pending[place];
  SYSFLEET_RETURN_IF_ERROR(AddHistograms(snapshot.transactions(), window.transactions));
  if (window.sums.measured) {
    SYSFLEET_RETURN_IF_ERROR(AddHistograms(snapshot.statements(), window.statements));
  }
  Contribution& contribution = window.agents[agent];
  SYSFLEET_RETURN_IF_ERROR(contribution.load.Add(snapshot.health()));
  contribution.transactions = TransactionsOf(snapshot);
  contribution.latency_sum_ns = LatencySumNs(snapshot);
  window.sums.transactions += contribution.transactions;
  window.sums.reads += snapshot.reads();
  window.sums.writes += snapshot.writes();
  window.sums.others += snapshot.others();
  window.sums.errors += ErrorsOf(snapshot);
  window.sums.reconnects += snapshot.reconnects();
  window.retries += snapshot.retries();
  window.rolled_back += RolledBackOf(snapshot);
  window.failed += snapshot.failed();
  if (is_open_loop()) SYSFLEET_RETURN_IF_ERROR(AddOpenLoop(snapshot, window));
  ++window.delivered;
  return absl::OkStatus();
}

absl::Status CellMerger::State::AddOpenLoop(const v1::Snapshot& snapshot, PendingWindow& window) {
  for (const v1::Operation& kind : snapshot.transactions()) {
    SYSFLEET_RETURN_IF_ERROR(AddProto(kind.response(), window.response));
    SYSFLEET_RETURN_IF_ERROR(AddProto(kind.waiting(), window.waiting));
  }
  if (!window.sums.queue) window.sums.queue.emplace();
  window.sums.queue->queued += snapshot.queued();
  window.sums.queue->active += snapshot.active();
  return absl::OkStatus();
}

MergedWindow CellMerger::State::Summary(const PendingWindow& window) const {
  MergedWindow merged{.window = window.sums};
  if (is_open_loop()) {
    merged.latency = window.response;
  } else {
    for (const Histogram& kind : window.transactions) merged.latency.Add(kind);
  }
  WindowResult& summary = merged.window;
  summary.gap = window.delivered < agents.size();
  summary.mean_ns = merged.latency.MeanNs();
  for (const double percent : shape.percentiles) {
    summary.percentile_ns.push_back(merged.latency.PercentileNs(percent));
  }
  summary.max_ns = merged.latency.max_ns();
  return merged;
}

void CellMerger::State::MergeWhole() {
  while (!pending.empty() && pending.front().delivered == agents.size()) MergeFront();
}

void CellMerger::State::MergeFront() {
  const PendingWindow& window = pending.front();
  fresh.push_back(Summary(window));
  cell.windows.push_back(fresh.back().window);
  if (window.sums.measured) {
    cell.transactions += window.sums.transactions;
    cell.reads += window.sums.reads;
    cell.writes += window.sums.writes;
    cell.others += window.sums.others;
    cell.errors += window.sums.errors;
    cell.reconnects += window.sums.reconnects;
    cell.retries += window.retries;
    cell.rolled_back += window.rolled_back;
    cell.failed += window.failed;
    if (cell.open_loop) {
      cell.open_loop->response.Add(window.response);
      cell.open_loop->waiting.Add(window.waiting);
    }
    AddAll(window.transactions, cell.transaction_kinds);
    AddAll(window.statements, cell.statements);
    for (size_t i = 0; i < agents.size(); ++i) agents[i].measured.Add(window.agents[i]);
  }
  pending.pop_front();
}

double CellMerger::State::MeasuredSeconds(int64_t elapsed_ns) const {
  const double whole = std::max(
      0.0, static_cast<double>(cell.windows.size()) - static_cast<double>(shape.warmup_windows));
  const bool is_last_window_whole =
      !pending.empty() ||
      (!is_open_ended() && cell.windows.size() == tail_window() && !has_ended_early());
  if (whole == 0 || is_last_window_whole) return whole;
  // The cell ended within the last window: when its last transaction did.
  const double elapsed = static_cast<double>(elapsed_ns) / static_cast<double>(kNanosPerSecond);
  return std::clamp(elapsed - shape.warmup_windows, whole - 1, whole);
}

std::vector<ErrorResult> CellMerger::State::Errors() const {
  std::vector<ErrorResult> results;
  for (const auto& [key, sum] : errors) {
    results.push_back({key.first, key.second, sum.count, sum.example});
  }
  std::stable_sort(results.begin(), results.end(),
                   [](const ErrorResult& a, const ErrorResult& b) { return a.count > b.count; });
  return results;
}

std::vector<AgentCellResult> CellMerger::State::Agents() const {
  std::vector<AgentCellResult> results(agents.size());
  for (size_t i = 0; i < agents.size(); ++i) {
    const Contribution& measured = agents[i].measured;
    AgentCellResult& result = results[i];
    result.address = shape.agents[i];
    result.connections = shape.connections[i];
    result.transactions = measured.transactions;
    if (measured.transactions > 0) {
      result.mean_ns =
          static_cast<double>(measured.latency_sum_ns) / static_cast<double>(measured.transactions);
    }
    result.load = measured.load.Over(cell.measured_seconds);
  }
  return results;
}

ClientLoad CellMerger::State::Load() const {
  LoadSums sums;
  std::optional<double> busiest;
  for (const AgentState& agent : agents) {
    sums.Add(agent.measured.load);
    // An empty optional is below any value.
    busiest = std::max(busiest, agent.measured.load.BusiestShare());
  }
  ClientLoad load = sums.Over(cell.measured_seconds);
  load.busiest_reactor_share = busiest;
  return load;
}

CellMerger::CellMerger(CellShape shape) : state_(std::make_unique<State>(std::move(shape))) {}
CellMerger::~CellMerger() = default;
CellMerger::CellMerger(CellMerger&&) noexcept = default;
CellMerger& CellMerger::operator=(CellMerger&&) noexcept = default;

absl::Status CellMerger::Add(int agent, const v1::Snapshot& snapshot) {
  State& state = *state_;
  if (agent < 0 || static_cast<size_t>(agent) >= state.agents.size()) {
    return absl::InvalidArgumentError(
        fmt::format("agent {} is not one of the cell's {}", agent, state.agents.size()));
  }
  const auto index = static_cast<size_t>(agent);
  AgentState& sender = state.agents[index];
  SYSFLEET_RETURN_IF_ERROR(sender.broken);
  const std::string context = fmt::format("snapshot {}", snapshot.sequence());
  if (snapshot.cell() != static_cast<uint32_t>(state.shape.number)) {
    return absl::InvalidArgumentError(fmt::format("{}: it is of cell {}, expected {}", context,
                                                  snapshot.cell(), state.shape.number));
  }
  if (snapshot.sequence() != 0 && snapshot.sequence() <= sender.acknowledged) {
    return absl::OkStatus();
  }
  SYSFLEET_RETURN_IF_ERROR(Annotate(state.Check(sender, snapshot), context));
  if (!state.HasTail(snapshot)) {
    sender.broken = Annotate(state.AddToWindow(index, snapshot), context);
    SYSFLEET_RETURN_IF_ERROR(sender.broken);
  }
  state.AddTotals(snapshot);
  sender.acknowledged = snapshot.sequence();
  state.MergeWhole();
  return absl::OkStatus();
}

void CellMerger::End(int agent) {
  AgentState& ended = state_->agents[static_cast<size_t>(agent)];
  // What a broken agent would have told is a gap.
  if (std::exchange(ended.ended, true) || !ended.broken.ok()) return;
  const size_t merged = state_->cell.windows.size();
  for (size_t i = 0; i < state_->pending.size(); ++i) {
    if (merged + i >= ended.acknowledged) ++state_->pending[i].delivered;
  }
  state_->MergeWhole();
}

int CellMerger::next_window() const {
  return static_cast<int>(state_->cell.windows.size() + state_->pending.size());
}

void CellMerger::EndWarmup(int windows) {
  assert(windows < state_->shape.warmup_windows && windows >= next_window());
  state_->shape.warmup_windows = windows;
}

uint64_t CellMerger::acknowledged(int agent) const {
  return state_->agents[static_cast<size_t>(agent)].acknowledged;
}

std::vector<MergedWindow> CellMerger::TakeMergedWindows() {
  return std::exchange(state_->fresh, {});
}

CellResult CellMerger::Finish(int64_t elapsed_ns) {
  State& state = *state_;
  state.cell.measured_seconds = state.MeasuredSeconds(elapsed_ns);
  CellResult cell = state.cell;
  for (const OperationResult& kind : cell.transaction_kinds) cell.latency.Add(kind.latency);
  for (const PendingWindow& window : state.pending)
    cell.windows.push_back(state.Summary(window).window);
  cell.error_kinds = state.Errors();
  cell.load = state.Load();
  cell.agents = state.Agents();
  return cell;
}

}  // namespace sysfleet
