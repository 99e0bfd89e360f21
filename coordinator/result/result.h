// What a run measured: a value that is stored, and that every report is a view of. Times are
// nanoseconds of latency or seconds since a cell's start; rates are per second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/histogram/histogram.h"

namespace sysfleet {

/// The version of result.json that this build writes.
inline constexpr int kResultFormat = 1;

enum class CellStatus : uint8_t { kComplete, kInterrupted, kFailed };

/// One kind of statement or transaction over the measured windows.
struct OperationResult {
  std::string name;
  Histogram latency;
};

struct ErrorResult {
  std::string code;
  std::string statement;  // its name; "connect" for connecting
  uint64_t count = 0;
  std::string example;
};

/// What a second of an open loop left behind at its end.
struct QueueResult {
  uint64_t queued = 0;  // intended starts that were due and not begun
  uint64_t active = 0;  // connections within a transaction
};

/// One second of a cell, over all agents. A window that an agent never delivered is a gap.
struct WindowResult {
  int second = 0;         // since the start; the warm-up's come first
  bool measured = false;  // not of the warm-up
  bool gap = false;
  uint64_t transactions = 0;
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t others = 0;
  uint64_t errors = 0;
  uint64_t reconnects = 0;
  // Of latencies; in an open loop of response times.
  double mean_ns = 0;
  std::vector<int64_t> percentile_ns;  // as RunResult::percentiles
  int64_t max_ns = 0;
  std::optional<QueueResult> queue;       // of an open loop
  std::optional<double> merged_after_ms;  // from its end until all parts were in; none in a gap

  uint64_t queries() const { return reads + writes + others; }
};

/// How hard the clients' machines had to work in the measured windows. What was not measured is
/// absent, as it is in results of versions that did not measure it yet.
struct ClientLoad {
  std::optional<double> busy_share;  // of the reactors' time
  /// Of the reactor that was the busiest in each window; one at its limit hides in the mean.
  std::optional<double> busiest_reactor_share;
  /// How long batches of events took between two looks at the clock: bounds a latency's error.
  std::optional<int64_t> batch_p99_ns;
  std::optional<int64_t> batch_max_ns;
  std::optional<double> cpu_cores;     // CPU seconds a second, of the agents' processes
  std::optional<double> stolen_share;  // of the machines' cores, by their hypervisors
};

/// What one agent contributed.
struct AgentCellResult {
  std::string address;
  int connections = 0;
  uint64_t transactions = 0;      // in the measured windows
  std::optional<double> mean_ns;  // latency of these transactions
  double start_offset_ms = 0;     // its first statement against the planned start
  ClientLoad load;
};

/// What committed transactions did to a table, and those whose COMMIT was not answered.
struct TableChanges {
  uint64_t increments = 0;  // of k, by one each
  uint64_t inserted = 0;
  uint64_t deleted = 0;
  uint64_t increments_unknown = 0;
  uint64_t inserted_unknown = 0;
  uint64_t deleted_unknown = 0;
};

/// What the database said of a table before and after a cell, and what it had to say afterwards.
struct AuditedFigure {
  int64_t before = 0;
  int64_t after = 0;
  int64_t expected_min = 0;
  int64_t expected_max = 0;

  bool agrees() const { return expected_min <= after && after <= expected_max; }
};

struct TableAudit {
  std::string table;
  TableChanges confirmed;
  AuditedFigure rows;
  /// Absent where rows came or went: what they had in k is not known.
  std::optional<AuditedFigure> k_sum;

  bool agrees() const { return rows.agrees() && (!k_sum || k_sum->agrees()); }
};

/// Whether the database holds what it confirmed.
struct AuditResult {
  std::vector<TableAudit> tables;

  bool agrees() const;
};

/// A cell whose transactions start when it is time for them, however the database does. Over the
/// measured windows where nothing else is said.
struct OpenLoopResult {
  double rate_per_s = 0;  // intended
  Histogram response;     // from the intended start to the end
  Histogram waiting;      // from the intended start to the real one
  /// Intended starts up to the end of the cell that never began, and those of the warm-up that were
  /// left out so that its backlog does not reach into the measurement.
  uint64_t not_begun = 0;
  uint64_t warmup_left_out = 0;
};

/// Standard deviations between the connections of a cell, in the measured windows.
struct FairnessResult {
  double events_stddev = 0;  // of how many transactions each one had
  double busy_s_stddev = 0;  // of how long each one was within them
};

/// What a query of the workload said before and after a cell.
struct InvariantResult {
  std::string sql;
  std::string before;
  std::string after;

  bool holds() const { return before == after; }
};

/// A warm-up that was to end as soon as throughput is steady.
struct WarmupResult {
  int seconds = 0;      // that it took
  int seconds_max = 0;  // that it might have taken
  bool steady = false;
};

struct CellResult {
  int number = 0;
  std::string workload;  // its label
  int threads = 0;
  int repetition = 1;
  CellStatus status = CellStatus::kComplete;
  std::string problem;  // why it is not complete
  double measured_seconds = 0;
  std::optional<WarmupResult> warmup;
  double start_spread_ms = 0;  // first statement of the last agent after that of the first
  /// Sums over the measured windows.
  uint64_t transactions = 0;  // that committed
  uint64_t rolled_back = 0;   // by a statement of theirs
  uint64_t failed = 0;        // given up
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t others = 0;
  uint64_t errors = 0;
  uint64_t retries = 0;
  uint64_t reconnects = 0;
  /// Sums over everything that was executed: warm-up, measured, and what ended after the last
  /// window.
  uint64_t total_transactions = 0;
  uint64_t total_rolled_back = 0;
  uint64_t total_failed = 0;
  uint64_t total_reads = 0;
  uint64_t total_writes = 0;
  uint64_t total_others = 0;
  uint64_t unfinished = 0;  // transactions cut off at the end
  Histogram latency;        // of all transactions: from the first statement sent to the last reply
  std::optional<OpenLoopResult> open_loop;
  std::vector<OperationResult> transaction_kinds;
  std::vector<OperationResult> statements;
  std::vector<ErrorResult> error_kinds;  // over everything that was executed
  std::vector<WindowResult> windows;
  ClientLoad load;  // of all agents
  std::vector<AgentCellResult> agents;
  std::optional<FairnessResult> fairness;
  /// Over everything that was executed, by table from the first; where agents counted it. Not
  /// stored.
  std::vector<TableChanges> table_changes;
  /// Where the plan asks for it and the cell is complete.
  std::optional<AuditResult> audit;
  std::vector<InvariantResult> invariants;

  uint64_t queries() const { return reads + writes + others; }
  double Tps() const { return PerSecond(transactions); }
  double Tps(const AgentCellResult& agent) const { return PerSecond(agent.transactions); }
  double Qps() const { return PerSecond(queries()); }
  double ErrorsPerSecond() const { return PerSecond(errors); }
  /// What a user waits for: response times where there is a rate, else latencies.
  const Histogram& Response() const { return open_loop ? open_loop->response : latency; }
  /// Of an open loop: the part of the intended starts that never began, 0 to 1. Not from rate and
  /// TPS, since the number of random starts is random.
  double RateMissed() const;
  /// From Little's law, for a closed loop: the part of connection time that was not spent waiting
  /// for transactions, 0 to 1: 1 - TPS x mean latency / threads. Nothing for an open loop, whose
  /// connections wait for their time, and where no transaction completed.
  std::optional<double> ClientShare() const;
  /// The same of one agent's connections; nothing where nothing is known.
  std::optional<double> ClientShare(const AgentCellResult& agent) const;

 private:
  double PerSecond(uint64_t count) const {
    return measured_seconds > 0 ? static_cast<double>(count) / measured_seconds : 0;
  }
};

/// A level that was tried in a search.
struct SearchLevelResult {
  int cell = 0;  // its number
  int64_t level = 0;
  double tps = 0;
  std::string missed;  // why it did not keep the limit; empty: it did
};

/// The highest number of threads, or rate, of a workload that keeps a limit.
struct SearchResult {
  std::string workload;
  std::string vary;   // "threads" or "rate"
  std::string limit;  // "p99 < 20ms"
  std::optional<int64_t> answer;
  double tps = 0;      // of the answer's last cell
  std::string reason;  // why it is not higher
  std::vector<SearchLevelResult> levels;
};

struct AgentResult {
  std::string address;
  std::string host;
  std::string version;
  int cores = 0;
  double clock_round_trip_ms = 0;  // the fastest: bounds the error of the clock's offset
};

struct RunResult {
  int format = kResultFormat;
  std::string name;
  std::string run_id;     // "quickstart-20261130T190214Z"
  std::string started;    // UTC, a label
  std::string version;    // of the coordinator
  std::string plan_yaml;  // resolved, without secrets
  std::string server_version;
  std::string data_set;  // "4 tables x 100,000 rows"
  std::vector<double> percentiles;
  bool interrupted = false;
  std::string problem;  // why the run ended early, if it did
  int planned_cells = 0;
  std::vector<AgentResult> agents;
  std::vector<CellResult> cells;
  std::vector<SearchResult> searches;
};

/// "64 threads", "64 threads at 5,000/s": what tells a cell from the others of its workload.
std::string LoadOf(const CellResult& cell);
/// "5,000", "0.5": as exact as it was given.
std::string RateText(double rate_per_s);

/// "SELECT sum(balance) FROM accounts is 1000 as before", or "… was 1000 and is 999".
std::string Describe(const InvariantResult& invariant);

/// "96 threads keep p99 < 20ms, with 4,210.0 TPS; 112 missed the limit: p99 24.10 ms".
std::string Describe(const SearchResult& search);

/// Of the agents' machines; agents on one machine share its cores.
int FleetCores(const RunResult& result);

}  // namespace sysfleet
