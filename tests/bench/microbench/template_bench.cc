#include <benchmark/benchmark.h>

#include "tests/bench/workbench/workbench.h"

namespace sysfleet {
namespace {

// Our own share of a statement, system calls and client library left out: the time for one is that
// of an item.
void Template(benchmark::State& state, const char* workload, Wire wire) {
  Workbench workbench(workload, wire);
  int64_t statements = 0;
  for (auto _ : state) statements += static_cast<int64_t>(workbench.Run(1000));
  state.SetItemsProcessed(statements);
}
BENCHMARK_CAPTURE(Template, point_select_memory, "oltp_point_select", Wire::kNone);
BENCHMARK_CAPTURE(Template, point_select_postgresql, "oltp_point_select", Wire::kPostgresql);
BENCHMARK_CAPTURE(Template, point_select_mysql, "oltp_point_select", Wire::kMysql);
BENCHMARK_CAPTURE(Template, read_write_memory, "oltp_read_write", Wire::kNone);
BENCHMARK_CAPTURE(Template, read_write_postgresql, "oltp_read_write", Wire::kPostgresql);
BENCHMARK_CAPTURE(Template, read_write_mysql, "oltp_read_write", Wire::kMysql);

}  // namespace
}  // namespace sysfleet
