#include "coordinator/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sysfleet {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

/// `transactions` in two seconds, all of `ms` milliseconds, 20 statements each.
CellResult MakeCell(const std::string& workload, int threads, uint64_t transactions, int64_t ms) {
  CellResult cell;
  cell.workload = workload;
  cell.threads = threads;
  cell.measured_seconds = 2;
  cell.transactions = transactions;
  cell.reads = transactions * 14;
  cell.writes = transactions * 4;
  cell.others = transactions * 2;
  for (uint64_t i = 0; i < transactions; ++i) cell.latency.Record(ms * 1'000'000);
  return cell;
}

RunResult MakeRun(std::vector<CellResult> cells) {
  RunResult run;
  run.name = "nightly";
  run.run_id = "nightly-20261130T190214Z";
  run.started = "2026-11-30T19:02:14Z";
  run.version = "0.1.0";
  run.server_version = "PostgreSQL 15.20";
  run.data_set = "4 tables x 100,000 rows";
  run.percentiles = {95};
  run.planned_cells = static_cast<int>(cells.size());
  // The third shares the second's machine and cores.
  run.agents = {{.address = "client-1:7070", .host = "client-1", .cores = 2},
                {.address = "client-2:7070", .host = "client-2", .cores = 2},
                {.address = "client-2:7071", .host = "client-2", .cores = 2}};
  run.cells = std::move(cells);
  return run;
}

TEST(ConsoleTest, AlignsHeadAndRows) {
  RunResult run = MakeRun(
      {MakeCell("oltp_read_write", 4, 1425, 5), MakeCell("oltp_read_write", 1024, 246'913, 8)});
  run.percentiles = {95, 99.9};
  run.cells[0].errors = 3;
  EXPECT_EQ(ConsoleHead(run, "oltp_read_write", {}) + ConsoleRow(run, run.cells[0], {}) +
                ConsoleRow(run, run.cells[1], {}),
            "oltp_read_write\n"
            "  threads         TPS           QPS     avg ms     P95 ms   P99.9 ms   errors/s   "
            "client\n"
            "        4       712.5      14,250.0       5.00       5.00       5.00        1.5     "
            "11 %\n"
            "    1,024   123,456.5   2,469,130.0       8.00       8.00       8.00        0.0      "
            "4 %\n");
}

TEST(ConsoleTest, StandsTheReferenceBesideIt) {
  const RunResult run =
      MakeRun({MakeCell("oltp_read_write", 32, 3400, 10), MakeCell("oltp_read_write", 64, 3400, 10),
               MakeCell("oltp_insert", 32, 3400, 10)});
  const std::vector<ReferenceRow> reference = {
      {.workload = "oltp_read_write", .threads = 32, .tps = 2000, .qps = 40'000, .p95_ms = 22.28}};
  EXPECT_EQ(
      ConsoleHead(run, "oltp_read_write", reference) + ConsoleRow(run, run.cells[0], reference) +
          ConsoleRow(run, run.cells[1], reference),
      "oltp_read_write\n"
      "  threads         TPS           QPS     avg ms     P95 ms   errors/s   client     "
      "ref TPS       ×  ref P95 ms\n"
      "       32     1,700.0      34,000.0      10.00      10.00        0.0     47 %     "
      "2,000.0   0.85×       22.28\n"
      "       64     1,700.0      34,000.0      10.00      10.00        0.0     73 %           "
      "-       -           -\n");
  EXPECT_THAT(ConsoleHead(run, "oltp_insert", reference), Not(HasSubstr("ref")));
  EXPECT_THAT(ConsoleRow(run, run.cells[2], reference), EndsWith("    47 %\n"));
}

TEST(ConsoleTest, AReferenceWithoutThreadsMatchesAny) {
  const RunResult run = MakeRun({MakeCell("oltp_read_write", 60, 2000, 10)});
  const std::vector<ReferenceRow> reference = {{.workload = "oltp_read_write", .tps = 800}};
  EXPECT_THAT(ConsoleHead(run, "oltp_read_write", reference), EndsWith("     ref TPS       ×\n"));
  EXPECT_THAT(ConsoleRow(run, run.cells[0], reference), EndsWith("       800.0   1.25×\n"));
}

TEST(ConsoleTest, SaysWhyACellIsNotComplete) {
  RunResult run =
      MakeRun({MakeCell("w", 4, 200, 5), MakeCell("w", 8, 0, 0), MakeCell("w", 16, 0, 0)});
  run.cells[0].status = CellStatus::kInterrupted;
  run.cells[1].status = CellStatus::kFailed;
  run.cells[1].problem = "database db-1:3306:\nwrong password\x1b[2J\n";
  run.cells[1].measured_seconds = 0;
  EXPECT_THAT(ConsoleRow(run, run.cells[0], {}), EndsWith(" 88 %   interrupted\n"));
  EXPECT_EQ(ConsoleRow(run, run.cells[1], {}),
            "        8           -             -          -          -          -        -   "
            "failed: database db-1:3306: wrong password [2J\n");
  // Two seconds in which nothing completed are a measurement, though not of a latency.
  EXPECT_EQ(ConsoleRow(run, run.cells[2], {}),
            "       16         0.0           0.0          -          -        0.0        -\n");
}

TEST(MarkdownTest, ShowsTheWholeRun) {
  RunResult run = MakeRun(
      {MakeCell("oltp_read_write", 32, 3400, 10), MakeCell("oltp_insert", 1024, 200'000, 10)});
  run.cells[1].errors = 1;
  run.cells[1].error_kinds = {{"23505", "insert", 1200, "duplicate key | (id)=(1)\nDETAIL"}};
  const std::vector<ReferenceRow> reference = {
      {.workload = "oltp_read_write", .threads = 32, .tps = 2000, .qps = 40'000, .p95_ms = 20}};
  EXPECT_EQ(Markdown(run, reference),
            R"(# nightly

- Run: nightly-20261130T190214Z, sysfleet 0.1.0
- Started: 2026-11-30T19:02:14Z
- Fleet: 3 agents, 4 cores: client-1:7070, client-2:7070, client-2:7071
- Database: PostgreSQL 15.20
- Data set: 4 tables x 100,000 rows

## oltp_read_write

| Threads | TPS | QPS | avg (ms) | P95 (ms) | errors/s | ref TPS | × | ref P95 (ms) | × |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
| 32 | 1,700.0 | 34,000.0 | 10.00 | 10.00 | 0.0 | 2,000.0 | 0.85× | 20.00 | 0.50× |

## oltp_insert

| Threads | TPS | QPS | avg (ms) | P95 (ms) | errors/s |
|---:|---:|---:|---:|---:|---:|
| 1,024 | 100,000.0 | 2,000,000.0 | 10.00 | 10.00 | 0.5 |

## Errors

Over everything that was executed, the warm-up included.

| Workload | Threads | Statement | Code | Example | Count |
|---|---|---|---|---|---:|
| oltp_insert | 1,024 | insert | 23505 | duplicate key \| (id)=(1) DETAIL | 1,200 |

## How it ended

Complete: 2 cells.
)");
}

TEST(MarkdownTest, SaysHowAnUnfinishedRunEnded) {
  RunResult run = MakeRun({MakeCell("w", 1, 200, 5), MakeCell("w", 8, 200, 5)});
  run.planned_cells = 9;
  run.interrupted = true;
  run.problem = "agent client-2:7070: <lost>";
  run.cells[1].status = CellStatus::kFailed;
  run.cells[1].problem = "agent client-2:7070: no answer for 10 s";
  run.cells[1].windows = {{.second = 0, .gap = true},
                          {.second = 1, .measured = true},
                          {.second = 2, .measured = true, .gap = true}};
  const std::string text = Markdown(run, {});
  EXPECT_THAT(text, HasSubstr("| 8 (failed) | 100.0 |"));
  EXPECT_THAT(text, EndsWith(R"(
## How it ended

1 of 9 cells complete.

The run was interrupted.

The run ended early: agent client-2:7070: \<lost\>

- w, 8 threads: failed: agent client-2:7070: no answer for 10 s
- w, 8 threads: measured windows that are gaps, and not in its figures: 1
)"));
}

TEST(MarkdownTest, NamesOnlyTheFirstOfManyAgents) {
  RunResult run = MakeRun({});
  run.agents.assign(1000, {.address = "client:7070", .cores = 2});
  const std::string text = Markdown(run, {});
  EXPECT_THAT(text, HasSubstr("- Fleet: 1,000 agents, 2 cores: client:7070, "));
  EXPECT_THAT(text, HasSubstr("client:7070 and 992 more\n"));
}

}  // namespace
}  // namespace sysfleet
