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

/// 4 begun of which one was lost, 4 not begun; response times of 10 ms, 4 of them waiting.
CellResult MakeOpenLoop(double rate_per_s) {
  CellResult cell = MakeCell("oltp_read_write", 4, 3, 6);
  cell.failed = 1;
  cell.open_loop.emplace();
  cell.open_loop->rate_per_s = rate_per_s;
  cell.open_loop->not_begun = 4;
  for (int i = 0; i < 3; ++i) {
    cell.open_loop->response.Record(10'000'000);
    cell.open_loop->waiting.Record(4'000'000);
  }
  return cell;
}

TEST(ConsoleTest, ShowsRatesAndByHowMuchTheyWereMissed) {
  RunResult run = MakeRun({MakeOpenLoop(4), MakeOpenLoop(2.5)});
  run.cells[1].open_loop->not_begun = 0;
  EXPECT_EQ(ConsoleHead(run, "oltp_read_write", {}) + ConsoleRow(run, run.cells[0], {}) +
                ConsoleRow(run, run.cells[1], {}),
            "oltp_read_write\n"
            "  threads     rate/s         TPS           QPS     avg ms     P95 ms   errors/s   "
            "client\n"
            "        4          4         1.5          30.0      10.00      10.00        0.0       "
            " -   rate missed by 50 %, 4 starts never begun\n"
            "        4        2.5         1.5          30.0      10.00      10.00        0.0       "
            " -\n");
}

TEST(MarkdownTest, ShowsTheMedianOfRepetitions) {
  RunResult run =
      MakeRun({MakeCell("oltp_read_write", 4, 300, 5), MakeCell("oltp_read_write", 8, 400, 5),
               MakeCell("oltp_read_write", 4, 100, 5), MakeCell("oltp_read_write", 4, 200, 5)});
  run.cells[2].repetition = 2;
  run.cells[3].repetition = 3;
  const std::string text = Markdown(run, {});
  EXPECT_THAT(text, HasSubstr("| errors/s | Repetitions | TPS min to max |"));
  EXPECT_THAT(text,
              HasSubstr("| 4 | 100.0 | 2,000.0 | 5.00 | 5.00 | 0.0 | 3 | 50.0 to 150.0 |\n"
                        "| 8 | 200.0 | 4,000.0 | 5.00 | 5.00 | 0.0 | 1 | 200.0 to 200.0 |\n"));
}

TEST(MarkdownTest, ShowsKindsOfTransactionsWhereThereAreSeveral) {
  RunResult run = MakeRun({MakeCell("bank", 4, 300, 5)});
  run.cells[0].transaction_kinds.resize(2);
  run.cells[0].transaction_kinds[0].name = "transfer";
  run.cells[0].transaction_kinds[0].latency = run.cells[0].latency;
  run.cells[0].transaction_kinds[1].name = "question";
  EXPECT_THAT(Markdown(run, {}), HasSubstr("| bank | 4 | transfer | 150.0 | 5.00 | 5.00 |\n"
                                           "| bank | 4 | question | 0.0 | 0.00 | 0.00 |\n"));
  run.cells[0].transaction_kinds.resize(1);
  EXPECT_THAT(Markdown(run, {}), Not(HasSubstr("## Transactions")));
}

TEST(MarkdownTest, ShowsWhatASearchFound) {
  RunResult run = MakeRun({MakeCell("oltp_read_write", 4, 300, 5)});
  run.searches = {{.workload = "oltp_read_write",
                   .vary = "threads",
                   .limit = "p99 < 20ms",
                   .answer = 4,
                   .tps = 150,
                   .reason = "8 missed the limit: p99 24.10 ms",
                   .levels = {{1, 4, 150, ""}, {2, 8, 160, "p99 24.10 ms"}}}};
  const std::string text = Markdown(run, {});
  EXPECT_THAT(text,
              HasSubstr("oltp_read_write: 4 threads keep p99 \\< 20ms, with 150.0 TPS; 8 missed "
                        "the limit: p99 24.10 ms.\n"));
  EXPECT_THAT(text, HasSubstr("| 2 | 8 | 160.0 | p99 24.10 ms |\n"));
  run.searches[0].answer.reset();
  EXPECT_THAT(Markdown(run, {}), HasSubstr("nothing keeps p99 \\< 20ms; 8 missed"));
}

TEST(MarkdownTest, KeepsTheTimesOfAnOpenLoopApart) {
  const std::string text = Markdown(MakeRun({MakeOpenLoop(4)}), {});
  EXPECT_THAT(text, HasSubstr("| Threads | Rate (/s) | TPS |"));
  EXPECT_THAT(text, HasSubstr("| oltp_read_write | 4 | 4 | 1.5 | 50.0 % | 10.00 | 6.00 | 4.00 | 4 "
                              "|\n"));
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

/// One of two agents; each transaction took `ms` milliseconds.
AgentCellResult MakeAgent(const std::string& address, int connections, uint64_t transactions,
                          int64_t ms) {
  return {.address = address,
          .connections = connections,
          .transactions = transactions,
          .mean_ns = static_cast<double>(ms) * 1e6,
          .load = {.busy_share = 0.375,
                   .busiest_reactor_share = 0.625,
                   .batch_p99_ns = 184'400,
                   .batch_max_ns = 2'000'000,
                   .cpu_cores = 1.234,
                   .stolen_share = 0.0026}};
}

TEST(ConsoleHintTest, SaysNothingWhereTheClientsHaveTime) {
  // Of a second, 1600 transactions of 10 ms fill sixteen connections.
  RunResult run = MakeRun({MakeCell("w", 16, 3200, 10)});
  run.cells[0].agents = {MakeAgent("client-1:7070", 16, 3200, 10)};
  EXPECT_EQ(ConsoleHint(run, "w"), "");
  run.cells[0].agents[0].load.busiest_reactor_share = 0.9;
  EXPECT_EQ(ConsoleHint(run, "w"), "");
  EXPECT_EQ(ConsoleHint(MakeRun({}), "w"), "");
}

TEST(ConsoleHintTest, NamesTheCellsAndTheWorstAgent) {
  RunResult run = MakeRun({MakeCell("w", 16, 3200, 10), MakeCell("w", 64, 3200, 10),
                           MakeCell("w", 1024, 3200, 10), MakeCell("v", 16, 3200, 10)});
  run.cells[0].agents = {MakeAgent("client-1:7070", 8, 1600, 10),
                         MakeAgent("client-2:7070", 8, 1600, 10)};
  run.cells[1].agents = {MakeAgent("client-1:7070", 16, 3200, 10),
                         MakeAgent("client-2:7070", 16, 2400, 10)};
  run.cells[2].agents = {MakeAgent("client-1:7070", 8, 1600, 10),
                         MakeAgent("client-2:7070", 8, 1600, 10)};
  run.cells[2].agents[0].load.busiest_reactor_share = 0.972;
  // 1200 of 10 ms fill twelve of sixteen connections: 25 % are 1.25 times the limit, 97 % 1.08.
  EXPECT_EQ(ConsoleHint(run, "w"),
            "client     limits the figures at threads 64, 1,024: client-2:7070, client share 25 %, "
            "busiest reactor 62 % busy; add client cores or agents\n");
  EXPECT_EQ(ConsoleHint(run, "v"), "") << "nothing is known of its agents";
}

TEST(MarkdownTest, ShowsHowHardTheClientsWorked) {
  RunResult run = MakeRun({MakeCell("oltp_insert", 16, 3200, 10), MakeCell("old|one", 8, 1000, 4)});
  CellResult& cell = run.cells[0];
  cell.agents = {MakeAgent("client-1:7070", 8, 1600, 10), MakeAgent("client-2:7070", 8, 1200, 10)};
  cell.agents[1].load = {.busy_share = 0.5, .cpu_cores = 2};
  cell.load = {.busy_share = 0.4375,
               .busiest_reactor_share = 0.625,
               .batch_p99_ns = 190'000,
               .cpu_cores = 3.234,
               .stolen_share = 0.0026};
  // As an older version stored it.
  run.cells[1].agents = {{.address = "client-1:7070",
                          .connections = 8,
                          .transactions = 1000,
                          .load = {.busy_share = 0.25, .batch_max_ns = 70'000, .cpu_cores = 0.5}}};
  EXPECT_THAT(Markdown(run, {}),
              HasSubstr(R"(
## Client

The share of the connections' time that was spent in the client)"
                        " and not waiting for the database, and how hard the "
                        "client machines had to work.\n\n"
                        "| Workload | Threads | Agent | Connections | TPS | Client "
                        "| Busy | Busiest reactor | Batch P99 (ms) | CPU cores "
                        "| Stolen |"
                        R"(
|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|
| oltp_insert | 16 | all 2 | 16 | 1,600.0 | 0 % | 44 % | 62 % | 0.190 | 3.23 | 0.3 % |
| oltp_insert | 16 | client-1:7070 | 8 | 800.0 | 0 % | 38 % | 62 % | 0.184 | 1.23 | 0.3 % |
| oltp_insert | 16 | client-2:7070 | 8 | 600.0 | 25 % | 50 % | - | - | 2.00 | - |
| old\|one | 8 | client-1:7070 | 8 | 500.0 | - | 25 % | - | - | 0.50 | - |

## How it ended
)"));
}

TEST(MarkdownTest, ShowsOfManyAgentsThoseWithTheHardestWork) {
  RunResult run = MakeRun({MakeCell("w", 20, 4000, 10)});
  for (int i = 1; i <= 20; ++i) {
    run.cells[0].agents.push_back(MakeAgent("client-" + std::to_string(i), 1, 200, 10));
    run.cells[0].agents.back().load.busiest_reactor_share = i == 17 ? 0.8 : i == 3 ? 0.7 : 0.1;
  }
  const std::string text = Markdown(run, {});
  EXPECT_THAT(text, HasSubstr("Of each cell, the 8 agents that were nearest to their limits.\n"));
  EXPECT_THAT(text, HasSubstr("| w | 20 | all 20 | 20 | 2,000.0 |"));
  const size_t first = text.find("| client-17 |");
  const size_t second = text.find("| client-3 |");
  const size_t third = text.find("| client-1 |");
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_LT(third, text.size());
  EXPECT_THAT(text, HasSubstr("| client-7 |"));
  EXPECT_THAT(text, Not(HasSubstr("| client-8 |")));
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
