#include "agent/engine/window.h"

#include <algorithm>

#include "common/histogram/codec.h"
#include "sysfleet/v1/measurement.pb.h"

namespace sysfleet {
namespace {

void AddAll(std::vector<Histogram>& sums, const std::vector<Histogram>& others) {
  for (size_t i = 0; i < sums.size(); ++i) {
    if (others[i].count() > 0) sums[i].Add(others[i]);
  }
}

void ClearAll(std::vector<Histogram>& histograms) {
  for (Histogram& histogram : histograms) {
    if (histogram.count() > 0) histogram.Clear();
  }
}

double BusiestShare(const Window& window) {
  if (window.busiest_loop_ns <= 0) return 0;
  return static_cast<double>(window.busiest_busy_ns) / static_cast<double>(window.busiest_loop_ns);
}

void StatementsToProto(const Window& window, v1::Snapshot& snapshot) {
  for (size_t i = 0; i < window.statements.size(); ++i) {
    if (window.statements[i].count() == 0) continue;
    v1::Operation& operation = *snapshot.add_statements();
    operation.set_index(static_cast<uint32_t>(i));
    ToProto(window.statements[i], *operation.mutable_latency());
  }
}

void TransactionsToProto(const Window& window, v1::Snapshot& snapshot) {
  for (size_t i = 0; i < window.transactions.size(); ++i) {
    const PassCounts& passes = window.passes[i];
    if (window.transactions[i].count() == 0 && passes.rolled_back == 0) continue;
    v1::Operation& operation = *snapshot.add_transactions();
    operation.set_index(static_cast<uint32_t>(i));
    ToProto(window.transactions[i], *operation.mutable_latency());
    operation.set_events(passes.events);
    operation.set_rolled_back(passes.rolled_back);
    if (window.responses.empty()) continue;
    ToProto(window.responses[i], *operation.mutable_response());
    ToProto(window.waits[i], *operation.mutable_waiting());
  }
}

void EffectsToProto(const Window& window, v1::Snapshot& snapshot) {
  for (size_t i = 0; i < window.effects.size(); ++i) {
    const TableEffects& known = window.effects[i];
    const TableEffects& unknown = window.unknown_effects[i];
    if (known.empty() && unknown.empty()) continue;
    v1::TableEffects& effects = *snapshot.add_effects();
    effects.set_table(static_cast<uint32_t>(i) + 1);
    effects.set_increments(known.increments);
    effects.set_inserted(known.inserted);
    effects.set_deleted(known.deleted);
    effects.set_increments_unknown(unknown.increments);
    effects.set_inserted_unknown(unknown.inserted);
    effects.set_deleted_unknown(unknown.deleted);
  }
}

void AddAll(std::vector<TableEffects>& sums, const std::vector<TableEffects>& others) {
  for (size_t i = 0; i < sums.size(); ++i) sums[i].Add(others[i]);
}

}  // namespace

void TableEffects::Add(Effect effect, uint64_t rows) {
  switch (effect) {
    case Effect::kNone:
      break;
    case Effect::kIncrementK:
      increments += rows;
      break;
    case Effect::kInsertRow:
      inserted += rows;
      break;
    case Effect::kDeleteRow:
      deleted += rows;
      break;
  }
}

void TableEffects::Add(const TableEffects& other) {
  increments += other.increments;
  inserted += other.inserted;
  deleted += other.deleted;
}

void Window::RecordError(int statement, const Outcome& outcome) {
  WindowError& error = errors[{outcome.code, statement}];
  if (error.count++ == 0) error.example = outcome.message;
}

void Window::Add(const Window& other) {
  AddAll(transactions, other.transactions);
  AddAll(responses, other.responses);
  AddAll(waits, other.waits);
  for (size_t i = 0; i < passes.size(); ++i) {
    passes[i].events += other.passes[i].events;
    passes[i].rolled_back += other.passes[i].rolled_back;
  }
  AddAll(statements, other.statements);
  reads += other.reads;
  writes += other.writes;
  others += other.others;
  retries += other.retries;
  reconnects += other.reconnects;
  failed += other.failed;
  queued += other.queued;
  active += other.active;
  AddAll(effects, other.effects);
  AddAll(unknown_effects, other.unknown_effects);
  for (const auto& [key, error] : other.errors) {
    WindowError& sum = errors[key];
    if (sum.count == 0) sum.example = error.example;
    sum.count += error.count;
  }
  busy_ns += other.busy_ns;
  loop_ns += other.loop_ns;
  if (BusiestShare(other) > BusiestShare(*this)) {
    busiest_busy_ns = other.busiest_busy_ns;
    busiest_loop_ns = other.busiest_loop_ns;
  }
  batches.Add(other.batches);
  connected += other.connected;
}

void Window::Clear() {
  ClearAll(transactions);
  ClearAll(responses);
  ClearAll(waits);
  std::fill(passes.begin(), passes.end(), PassCounts{});
  std::fill(effects.begin(), effects.end(), TableEffects{});
  std::fill(unknown_effects.begin(), unknown_effects.end(), TableEffects{});
  ClearAll(statements);
  reads = writes = others = retries = reconnects = failed = queued = 0;
  active = 0;
  errors.clear();
  busy_ns = loop_ns = busiest_busy_ns = busiest_loop_ns = 0;
  batches.Clear();
  connected = 0;
}

void ToProto(const Window& window, v1::Snapshot& snapshot) {
  snapshot.set_window(window.number);
  TransactionsToProto(window, snapshot);
  StatementsToProto(window, snapshot);
  snapshot.set_reads(window.reads);
  snapshot.set_writes(window.writes);
  snapshot.set_others(window.others);
  snapshot.set_retries(window.retries);
  snapshot.set_reconnects(window.reconnects);
  snapshot.set_failed(window.failed);
  snapshot.set_queued(window.queued);
  snapshot.set_active(window.active);
  EffectsToProto(window, snapshot);
  for (const auto& [key, error] : window.errors) {
    v1::ErrorCount& count = *snapshot.add_errors();
    count.set_code(key.first);
    if (key.second != Window::kConnecting) count.set_statement(static_cast<uint32_t>(key.second));
    count.set_count(error.count);
    count.set_example(error.example);
  }
  v1::Health& health = *snapshot.mutable_health();
  health.set_busy_ns(static_cast<uint64_t>(window.busy_ns));
  health.set_loop_ns(static_cast<uint64_t>(window.loop_ns));
  health.set_busiest_busy_ns(static_cast<uint64_t>(window.busiest_busy_ns));
  health.set_busiest_loop_ns(static_cast<uint64_t>(window.busiest_loop_ns));
  ToProto(window.batches, *health.mutable_batches());
  health.set_connected(window.connected);
}

}  // namespace sysfleet
