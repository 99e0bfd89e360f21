#include <benchmark/benchmark.h>

#include <string>

#include "common/random/distribution.h"
#include "common/random/random.h"

namespace sysfleet {
namespace {

void RandomNext(benchmark::State& state) {
  Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(random.Next());
}
BENCHMARK(RandomNext);

void RandomUniform(benchmark::State& state) {
  Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(random.Uniform(1, 10'000'000));
}
BENCHMARK(RandomUniform);

constexpr int64_t kRows = 10'000'000;

template <typename Distribution>
void Draw(benchmark::State& state, const Distribution& distribution) {
  Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(distribution.Draw(random));
}
using Order = ZipfianDistribution::Order;
BENCHMARK_CAPTURE(Draw, gaussian, GaussianDistribution(1, kRows, 12));
BENCHMARK_CAPTURE(Draw, special, SpecialDistribution(1, kRows, 12, 1, 75));
BENCHMARK_CAPTURE(Draw, pareto, ParetoDistribution(1, kRows, 0.2));
BENCHMARK_CAPTURE(Draw, zipfian, ZipfianDistribution(1, kRows, 0.8, Order::kHotFirst));
BENCHMARK_CAPTURE(Draw, scrambled_zipfian, ZipfianDistribution(1, kRows, 0.8, Order::kScrambled));

/// The columns c and pad of sysbench's tables: groups of eleven digits.
void TextPatternFill(benchmark::State& state) {
  std::string text = "###########";
  for (int64_t group = 1; group < state.range(0); ++group) text += "-###########";
  const TextPattern pattern(text);
  Random random(1);
  for (auto _ : state) {
    pattern.Fill(random, text.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(TextPatternFill)->ArgName("groups")->Arg(10)->Arg(5);

void UniqueIdsNext(benchmark::State& state) {
  UniqueIds ids(0, 3, 1024);
  for (auto _ : state) benchmark::DoNotOptimize(ids.Next());
}
BENCHMARK(UniqueIdsNext);

void UniqueIdsNextWide(benchmark::State& state) {
  UniqueIds ids(0, 3, 1024);
  for (auto _ : state) benchmark::DoNotOptimize(ids.NextWide());
}
BENCHMARK(UniqueIdsNextWide);

}  // namespace
}  // namespace sysfleet
