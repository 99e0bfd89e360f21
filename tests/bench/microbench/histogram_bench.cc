#include <benchmark/benchmark.h>

#include "common/histogram/codec.h"
#include "common/histogram/histogram.h"
#include "sysfleet/v1/measurement.pb.h"
#include "tests/bench/microbench/samples.h"

namespace sysfleet {
namespace {

Histogram Sample() {
  Histogram histogram;
  for (const int64_t latency_ns : SampleLatenciesNs()) histogram.Record(latency_ns);
  return histogram;
}

void HistogramRecord(benchmark::State& state) {
  const std::vector<int64_t> latencies_ns = SampleLatenciesNs();
  Histogram histogram;
  size_t i = 0;
  for (auto _ : state) histogram.Record(latencies_ns[i++ % latencies_ns.size()]);
  benchmark::DoNotOptimize(histogram.count());
}
BENCHMARK(HistogramRecord);

void HistogramAdd(benchmark::State& state) {
  const Histogram part = Sample();
  Histogram sum;
  for (auto _ : state) sum.Add(part);
  benchmark::DoNotOptimize(sum.count());
}
BENCHMARK(HistogramAdd);

void HistogramClear(benchmark::State& state) {
  Histogram histogram;
  for (auto _ : state) {
    histogram.Clear();
    benchmark::ClobberMemory();
  }
}
BENCHMARK(HistogramClear);

void HistogramPercentile(benchmark::State& state) {
  const Histogram histogram = Sample();
  for (auto _ : state) benchmark::DoNotOptimize(histogram.PercentileNs(95));
}
BENCHMARK(HistogramPercentile);

void CodecToProto(benchmark::State& state) {
  const Histogram histogram = Sample();
  v1::Histogram message;
  for (auto _ : state) ToProto(histogram, message);
  state.counters["bytes"] = static_cast<double>(message.ByteSizeLong());
}
BENCHMARK(CodecToProto);

void CodecAddProto(benchmark::State& state) {
  v1::Histogram message;
  ToProto(Sample(), message);
  Histogram histogram;
  for (auto _ : state) benchmark::DoNotOptimize(AddProto(message, histogram).ok());
}
BENCHMARK(CodecAddProto);

void CodecEncodeHdr(benchmark::State& state) {
  const Histogram histogram = Sample();
  std::string text;
  for (auto _ : state) text = EncodeHdr(histogram);
  state.counters["bytes"] = static_cast<double>(text.size());
}
BENCHMARK(CodecEncodeHdr);

void CodecDecodeHdr(benchmark::State& state) {
  const std::string text = EncodeHdr(Sample());
  for (auto _ : state) benchmark::DoNotOptimize(DecodeHdr(text).ok());
}
BENCHMARK(CodecDecodeHdr);

}  // namespace
}  // namespace sysfleet
