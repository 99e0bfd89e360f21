// A result with every field set, its figures easy to recompute. golden_v1.json is it, written.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "coordinator/result/result.h"

namespace sysfleet {

inline Histogram HistogramOf(std::initializer_list<int64_t> values_ns) {
  Histogram histogram;
  for (const int64_t value : values_ns) histogram.Record(value);
  return histogram;
}

inline CellResult SampleCell() {
  // One latency is beyond the histogram's range.
  const Histogram latency = HistogramOf({1'000'000, 2'000'000, 3'000'000, 3'600'000'000'001});
  CellResult cell{.number = 1,
                  .workload = "oltp_read_write",
                  .threads = 16,
                  .status = CellStatus::kFailed,
                  .problem = "agent client-2:7070: no answer for 10 s",
                  .measured_seconds = 2,
                  .start_spread_ms = 0.125,
                  .transactions = 4,
                  .rolled_back = 1,
                  .failed = 2,
                  .reads = 56,
                  .writes = 16,
                  .others = 8,
                  .errors = 3,
                  .retries = 2,
                  .reconnects = 1,
                  .total_transactions = 6,
                  .total_rolled_back = 3,
                  .total_failed = 4,
                  .total_reads = 84,
                  .total_writes = 24,
                  .total_others = 12,
                  .unfinished = 5,
                  .latency = latency};
  cell.transaction_kinds = {{"oltp_read_write", latency}};
  cell.statements = {{"begin", HistogramOf({50'000})}, {"point_select", Histogram()}};
  cell.error_kinds = {{"40001", "update_k", 2, "could not \"serialize\"\nretry"},
                      {"lost", "connect", 1, ""}};
  cell.windows = {{.second = 0,
                   .transactions = 2,
                   .reads = 28,
                   .writes = 8,
                   .others = 4,
                   .merged_after_ms = 12.5},
                  {.second = 1,
                   .measured = true,
                   .gap = true,
                   .transactions = 4,
                   .reads = 56,
                   .writes = 16,
                   .others = 8,
                   .errors = 3,
                   .reconnects = 1,
                   .mean_ns = 1'234'567.5,
                   .percentile_ns = {2'999'295, 3'000'319},
                   .max_ns = 3'600'000'000'001}};
  cell.windows[0].percentile_ns = {0, 0};
  const ClientLoad load = {.busy_share = 0.25,
                           .busiest_reactor_share = 0.375,
                           .batch_p99_ns = 60'000,
                           .batch_max_ns = 70'000,
                           .cpu_cores = 1.5,
                           .stolen_share = 0.0625};
  cell.load = load;
  // Four transactions in two seconds, each three seconds long: six of eight connections wait.
  cell.agents = {{.address = "client-1:7070",
                  .connections = 8,
                  .transactions = 4,
                  .mean_ns = 3e9,
                  .start_offset_ms = -0.5,
                  .load = load},
                 {.address = "client-2:7070", .connections = 8}};
  cell.fairness = {.events_stddev = 1.5, .busy_s_stddev = 0.25};
  cell.audit = {
      .tables = {
          {.table = "sbtest1",
           .confirmed = {.increments = 7, .increments_unknown = 1},
           .rows = {100, 100, 100, 100},
           .k_sum = AuditedFigure{5000, 5006, 5007, 5008}},
          {.table = "sbtest2",
           .confirmed = {.inserted = 3, .deleted = 2, .inserted_unknown = 1, .deleted_unknown = 1},
           .rows = {100, 101, 100, 102}}}};
  return cell;
}

/// 3 of 7 starts were never begun.
inline CellResult SampleOpenLoop() {
  CellResult cell{.number = 2,
                  .workload = "oltp_insert",
                  .threads = 4,
                  .repetition = 2,
                  .measured_seconds = 1,
                  .warmup = WarmupResult{12, 60, true},
                  .transactions = 2,
                  .rolled_back = 1,
                  .failed = 1,
                  .latency = HistogramOf({1'000'000, 2'000'000})};
  cell.open_loop = {.rate_per_s = 7.5,
                    .response = HistogramOf({4'000'000, 6'000'000}),
                    .waiting = HistogramOf({3'000'000, 4'000'000}),
                    .not_begun = 3,
                    .warmup_left_out = 1};
  cell.windows = {{.measured = true, .transactions = 2, .queue = QueueResult{3, 4}}};
  cell.windows[0].percentile_ns = {6'000'000, 6'000'000};
  return cell;
}

inline RunResult SampleRun() {
  return {.name = "sample",
          .run_id = "sample-20261130T190214Z",
          .started = "2026-11-30T19:02:14Z",
          .version = "0.1.0",
          .plan_yaml = "name: sample\n",
          .server_version = "PostgreSQL 15.20",
          .data_set = "4 tables x 100,000 rows",
          .percentiles = {95, 99.9},
          .interrupted = true,
          .problem = "interrupted by the user",
          .planned_cells = 9,
          .agents = {{.address = "client-1:7070",
                      .host = "client-1",
                      .version = "0.1.0",
                      .cores = 4,
                      .clock_round_trip_ms = 0.0625}},
          .cells = {SampleCell(), SampleOpenLoop()},
          .searches = {{.workload = "oltp_insert",
                        .vary = "threads",
                        .limit = "p99 < 20ms",
                        .answer = 4,
                        .tps = 2,
                        .reason = "8 missed the limit: p99 24.10 ms",
                        .levels = {{2, 4, 2, ""}, {3, 8, 2.5, "p99 24.10 ms"}}}}};
}

}  // namespace sysfleet
