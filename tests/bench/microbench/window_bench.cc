#include <benchmark/benchmark.h>

#include "agent/engine/window.h"
#include "sysfleet/v1/measurement.pb.h"
#include "tests/bench/microbench/samples.h"

namespace sysfleet {
namespace {

// Those of oltp_read_write: BEGIN, five kinds of SELECT, four of changes, COMMIT.
constexpr size_t kStatements = 11;

void Fill(Window& window) {
  const Outcome outcome{.kind = OutcomeKind::kRows, .rows = 1};
  size_t statement = 0;
  for (const int64_t latency_ns : SampleLatenciesNs()) {
    window.RecordStatement(statement++ % kStatements, outcome, latency_ns);
    window.transactions[0].Record(latency_ns);
  }
}

void WindowRecordStatement(benchmark::State& state) {
  const std::vector<int64_t> latencies_ns = SampleLatenciesNs();
  const Outcome outcome{.kind = OutcomeKind::kRows, .rows = 1};
  Window window({1, kStatements});
  size_t i = 0;
  for (auto _ : state) {
    window.RecordStatement(i % kStatements, outcome, latencies_ns[i % latencies_ns.size()]);
    ++i;
  }
  benchmark::DoNotOptimize(window.reads);
}
BENCHMARK(WindowRecordStatement);

void WindowToProto(benchmark::State& state) {
  Window window({1, kStatements});
  Fill(window);
  v1::Snapshot snapshot;
  for (auto _ : state) {
    snapshot.Clear();
    ToProto(window, snapshot);
  }
  state.counters["bytes"] = static_cast<double>(snapshot.ByteSizeLong());
}
BENCHMARK(WindowToProto);

void WindowAdd(benchmark::State& state) {
  Window part({1, kStatements});
  Fill(part);
  Window sum({1, kStatements});
  for (auto _ : state) sum.Add(part);
  benchmark::DoNotOptimize(sum.reads);
}
BENCHMARK(WindowAdd);

}  // namespace
}  // namespace sysfleet
