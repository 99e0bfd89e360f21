// The fields of result.json, listed once for writing and for reading: `archive(key, member)` for
// each, in the order of the file. An optional member is null in the file where it has no value, and
// may be missing. `T` is the type named in the constraint, or that type const.
#pragma once

#include <array>
#include <concepts>
#include <type_traits>

#include "coordinator/result/result.h"

namespace sysfleet {

/// The names of CellStatus, in its order.
inline constexpr std::array kCellStatusNames = {"complete", "interrupted", "failed"};

/// `T` is `Value` or `const Value`.
template <typename T, typename Value>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Value>;

template <MaybeConst<OperationResult> T>
void VisitFields(T& operation, auto& archive) {
  archive("name", operation.name);
  archive("latency", operation.latency);
}

template <MaybeConst<ErrorResult> T>
void VisitFields(T& error, auto& archive) {
  archive("code", error.code);
  archive("statement", error.statement);
  archive("count", error.count);
  archive("example", error.example);
}

template <MaybeConst<QueueResult> T>
void VisitFields(T& queue, auto& archive) {
  archive("queued", queue.queued);
  archive("active", queue.active);
}

template <MaybeConst<WindowResult> T>
void VisitFields(T& window, auto& archive) {
  archive("second", window.second);
  archive("measured", window.measured);
  archive("gap", window.gap);
  archive("transactions", window.transactions);
  archive("reads", window.reads);
  archive("writes", window.writes);
  archive("others", window.others);
  archive("errors", window.errors);
  archive("reconnects", window.reconnects);
  archive("mean_ns", window.mean_ns);
  archive("percentile_ns", window.percentile_ns);
  archive("max_ns", window.max_ns);
  archive("queue", window.queue);
  archive("merged_after_ms", window.merged_after_ms);
}

/// Fields of a cell and of each of its agents, not an object of their own.
template <MaybeConst<ClientLoad> T>
void VisitFields(T& load, auto& archive) {
  archive("busy_share", load.busy_share);
  archive("busiest_reactor_share", load.busiest_reactor_share);
  archive("batch_p99_ns", load.batch_p99_ns);
  archive("batch_max_ns", load.batch_max_ns);
  archive("cpu_cores", load.cpu_cores);
  archive("stolen_share", load.stolen_share);
}

template <MaybeConst<AgentCellResult> T>
void VisitFields(T& agent, auto& archive) {
  archive("address", agent.address);
  archive("connections", agent.connections);
  archive("transactions", agent.transactions);
  archive("mean_ns", agent.mean_ns);
  archive("start_offset_ms", agent.start_offset_ms);
  VisitFields(agent.load, archive);
}

template <MaybeConst<TableChanges> T>
void VisitFields(T& changes, auto& archive) {
  archive("increments", changes.increments);
  archive("inserted", changes.inserted);
  archive("deleted", changes.deleted);
  archive("increments_unknown", changes.increments_unknown);
  archive("inserted_unknown", changes.inserted_unknown);
  archive("deleted_unknown", changes.deleted_unknown);
}

template <MaybeConst<AuditedFigure> T>
void VisitFields(T& figure, auto& archive) {
  archive("before", figure.before);
  archive("after", figure.after);
  archive("expected_min", figure.expected_min);
  archive("expected_max", figure.expected_max);
}

template <MaybeConst<TableAudit> T>
void VisitFields(T& table, auto& archive) {
  archive("table", table.table);
  archive("confirmed", table.confirmed);
  archive("rows", table.rows);
  archive("k_sum", table.k_sum);
}

template <MaybeConst<AuditResult> T>
void VisitFields(T& audit, auto& archive) {
  archive("tables", audit.tables);
}

template <MaybeConst<OpenLoopResult> T>
void VisitFields(T& loop, auto& archive) {
  archive("rate_per_s", loop.rate_per_s);
  archive("response", loop.response);
  archive("waiting", loop.waiting);
  archive("not_begun", loop.not_begun);
  archive("warmup_left_out", loop.warmup_left_out);
}

template <MaybeConst<FairnessResult> T>
void VisitFields(T& fairness, auto& archive) {
  archive("events_stddev", fairness.events_stddev);
  archive("busy_s_stddev", fairness.busy_s_stddev);
}

template <MaybeConst<InvariantResult> T>
void VisitFields(T& invariant, auto& archive) {
  archive("sql", invariant.sql);
  archive("before", invariant.before);
  archive("after", invariant.after);
}

template <MaybeConst<WarmupResult> T>
void VisitFields(T& warmup, auto& archive) {
  archive("seconds", warmup.seconds);
  archive("seconds_max", warmup.seconds_max);
  archive("steady", warmup.steady);
}

template <MaybeConst<CellResult> T>
void VisitFields(T& cell, auto& archive) {
  archive("number", cell.number);
  archive("workload", cell.workload);
  archive("threads", cell.threads);
  archive("repetition", cell.repetition);
  archive("status", cell.status);
  archive("problem", cell.problem);
  archive("measured_seconds", cell.measured_seconds);
  archive("warmup", cell.warmup);
  archive("start_spread_ms", cell.start_spread_ms);
  archive("transactions", cell.transactions);
  archive("rolled_back", cell.rolled_back);
  archive("failed", cell.failed);
  archive("reads", cell.reads);
  archive("writes", cell.writes);
  archive("others", cell.others);
  archive("errors", cell.errors);
  archive("retries", cell.retries);
  archive("reconnects", cell.reconnects);
  archive("total_transactions", cell.total_transactions);
  archive("total_rolled_back", cell.total_rolled_back);
  archive("total_failed", cell.total_failed);
  archive("total_reads", cell.total_reads);
  archive("total_writes", cell.total_writes);
  archive("total_others", cell.total_others);
  archive("unfinished", cell.unfinished);
  archive("latency", cell.latency);
  archive("open_loop", cell.open_loop);
  archive("transaction_kinds", cell.transaction_kinds);
  archive("statements", cell.statements);
  archive("error_kinds", cell.error_kinds);
  archive("windows", cell.windows);
  VisitFields(cell.load, archive);
  archive("agents", cell.agents);
  archive("fairness", cell.fairness);
  archive("audit", cell.audit);
  archive("invariants", cell.invariants);
}

template <MaybeConst<AgentResult> T>
void VisitFields(T& agent, auto& archive) {
  archive("address", agent.address);
  archive("host", agent.host);
  archive("version", agent.version);
  archive("cores", agent.cores);
  archive("clock_round_trip_ms", agent.clock_round_trip_ms);
}

template <MaybeConst<SearchLevelResult> T>
void VisitFields(T& level, auto& archive) {
  archive("cell", level.cell);
  archive("level", level.level);
  archive("tps", level.tps);
  archive("missed", level.missed);
}

template <MaybeConst<SearchResult> T>
void VisitFields(T& search, auto& archive) {
  archive("workload", search.workload);
  archive("vary", search.vary);
  archive("limit", search.limit);
  archive("answer", search.answer);
  archive("tps", search.tps);
  archive("reason", search.reason);
  archive("levels", search.levels);
}

template <MaybeConst<RunResult> T>
void VisitFields(T& run, auto& archive) {
  archive("format", run.format);
  archive("name", run.name);
  archive("run_id", run.run_id);
  archive("started", run.started);
  archive("version", run.version);
  archive("plan_yaml", run.plan_yaml);
  archive("server_version", run.server_version);
  archive("data_set", run.data_set);
  archive("percentiles", run.percentiles);
  archive("interrupted", run.interrupted);
  archive("problem", run.problem);
  archive("planned_cells", run.planned_cells);
  archive("agents", run.agents);
  archive("cells", run.cells);
  archive("searches", run.searches);
}

}  // namespace sysfleet
