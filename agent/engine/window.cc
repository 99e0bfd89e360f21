#include "agent/engine/window.h"

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

template <typename Messages>
void ToProto(const std::vector<Histogram>& histograms, Messages* messages) {
  for (size_t i = 0; i < histograms.size(); ++i) {
    if (histograms[i].count() == 0) continue;
    v1::Operation& operation = *messages->Add();
    operation.set_index(static_cast<uint32_t>(i));
    ToProto(histograms[i], *operation.mutable_latency());
  }
}

}  // namespace

void Window::RecordError(int statement, const Outcome& outcome) {
  WindowError& error = errors[{outcome.code, statement}];
  if (error.count++ == 0) error.example = outcome.message;
}

void Window::Add(const Window& other) {
  AddAll(transactions, other.transactions);
  AddAll(statements, other.statements);
  reads += other.reads;
  writes += other.writes;
  others += other.others;
  retries += other.retries;
  reconnects += other.reconnects;
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
  ClearAll(statements);
  reads = writes = others = retries = reconnects = 0;
  errors.clear();
  busy_ns = loop_ns = busiest_busy_ns = busiest_loop_ns = 0;
  batches.Clear();
  connected = 0;
}

void ToProto(const Window& window, v1::Snapshot& snapshot) {
  snapshot.set_window(window.number);
  ToProto(window.transactions, snapshot.mutable_transactions());
  ToProto(window.statements, snapshot.mutable_statements());
  snapshot.set_reads(window.reads);
  snapshot.set_writes(window.writes);
  snapshot.set_others(window.others);
  snapshot.set_retries(window.retries);
  snapshot.set_reconnects(window.reconnects);
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
