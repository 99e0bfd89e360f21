// The expected texts have the form of what the packaged sysbench 1.0.20 prints; their figures can
// be computed by hand.
#include "coordinator/report/sysbench_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sysfleet {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t kMillisecond = 1'000'000;

SysbenchFigures Figures() {
  SysbenchFigures figures;
  Histogram latency;
  for (int i = 0; i < 99; ++i) latency.Record(2 * kMillisecond);
  latency.Record(12 * kMillisecond);
  figures.Add({.transactions = 100,
               .reads = 1400,
               .writes = 400,
               .others = 200,
               .errors = 1,
               .reconnects = 2},
              latency);
  return figures;
}

TEST(SysbenchTextTest, Heading) {
  EXPECT_EQ(SysbenchHead({.threads = 2}),
            "Running the test with following options:\n"
            "Number of threads: 2\n"
            "Initializing random number generator from current time\n"
            "\n"
            "\n"
            "Initializing worker threads...\n"
            "\n");
  EXPECT_EQ(SysbenchHead({.threads = 1,
                          .warmup_seconds = 3,
                          .rate = 500,
                          .report_interval_seconds = 1,
                          .checkpoint_seconds = {1, 5},
                          .debug = true,
                          .validate = true,
                          .seed = 5,
                          .forced_shutdown_seconds = 15}),
            "Running the test with following options:\n"
            "Number of threads: 1\n"
            "Warmup time: 3s\n"
            "Target transaction rate: 500/sec\n"
            "Report intermediate results every 1 second(s)\n"
            "Report checkpoint(s) at 1, 5 seconds\n"
            "Debug mode enabled.\n"
            "\n"
            "Validation checks: on.\n"
            "\n"
            "Initializing random number generator from seed (5).\n"
            "\n"
            "Forcing shutdown in 15 seconds\n"
            "\n"
            "Initializing worker threads...\n"
            "\n");
}

TEST(SysbenchTextTest, Interval) {
  EXPECT_EQ(SysbenchInterval(Figures(), 2, 4, 8, {95}),
            "[ 4s ] thds: 8 tps: 50.00 qps: 1000.00 (r/w/o: 700.00/200.00/100.00) lat (ms,95%): "
            "2.00 err/s: 0.50 reconn/s: 1.00\n");
  EXPECT_THAT(SysbenchInterval(Figures(), 1, 1, 8, {}), HasSubstr(" lat (ms,0%): 0.00 err/s: "));
  SysbenchFigures queueing = Figures();
  queueing.queue = {.queued = 12, .active = 8};
  EXPECT_EQ(
      SysbenchInterval(queueing, 2, 4, 8, {95}),
      SysbenchInterval(Figures(), 2, 4, 8, {95}) + "[ 4s ] queue length: 12, concurrency: 8\n");
  EXPECT_THAT(SysbenchInterval(Figures(), 1, 1, 8, {50, 100}),
              HasSubstr(" lat (ms,50%/100%): 2.00/12.00 err/s: "));
}

TEST(SysbenchTextTest, Report) {
  EXPECT_EQ(ToSysbenchText({.figures = Figures(),
                            .seconds = 4,
                            .total_seconds = 4,
                            .threads = 2,
                            .spread = {12, 0.5},
                            .percentiles = {95}}),
            "SQL statistics:\n"
            "    queries performed:\n"
            "        read:                            1400\n"
            "        write:                           400\n"
            "        other:                           200\n"
            "        total:                           2000\n"
            "    transactions:                        100    (25.00 per sec.)\n"
            "    queries:                             2000   (500.00 per sec.)\n"
            "    ignored errors:                      1      (0.25 per sec.)\n"
            "    reconnects:                          2      (0.50 per sec.)\n"
            "\n"
            "General statistics:\n"
            "    total time:                          4.0000s\n"
            "    total number of events:              100\n"
            "\n"
            "Latency (ms):\n"
            "         min:                                    2.00\n"
            "         avg:                                    2.10\n"
            "         max:                                   12.00\n"
            "         95th percentile:                        2.00\n"
            "         sum:                                  210.00\n"
            "\n"
            "Threads fairness:\n"
            "    events (avg/stddev):           50.0000/12.00\n"
            "    execution time (avg/stddev):   0.1050/0.50\n"
            "\n");
}

TEST(SysbenchTextTest, PercentilesOfOneToThreeDigitsOrNone) {
  SysbenchReport report{.figures = Figures(), .seconds = 1, .total_seconds = 1};
  report.percentiles = {5, 99, 100};
  EXPECT_THAT(ToSysbenchText(report),
              HasSubstr("          5th percentile:                        2.00\n"
                        "         99th percentile:                        2.00\n"
                        "        100th percentile:                       12.00\n"));
  report.percentiles = {};
  EXPECT_THAT(ToSysbenchText(report),
              HasSubstr("         percentile stats:               disabled\n"));
}

TEST(SysbenchTextTest, HistogramHasSysbenchsBuckets) {
  SysbenchReport report{.figures = Figures(), .seconds = 1, .total_seconds = 1};
  report.histogram = true;
  // 2 ms: bucket floor(ln(2000) * 1023 / ln(10^8) + 0.5) = 422, whose value is
  // 0.001 * exp(422 * ln(10^8) / 1023) ms; 12 ms: bucket 522.
  EXPECT_THAT(ToSysbenchText(report),
              StartsWith("Latency histogram (values are in milliseconds)\n"
                         "       value  ------------- distribution ------------- count\n"
                         "       1.996 |**************************************** 99\n"
                         "      12.081 |                                         1\n"
                         " \n"
                         "SQL statistics:\n"));
  EXPECT_THAT(ToSysbenchText(report), EndsWith("\n\n"));
}

TEST(SysbenchTextTest, ForcedShutdownTellsWhatWasCutOff) {
  EXPECT_THAT(ToSysbenchText({.unfinished = 2}),
              HasSubstr("reconnects:                          0      (0.00 per sec.)\n"
                        "\n"
                        "Number of unfinished transactions on forced shutdown: 2\n"
                        "\n"
                        "General statistics:\n"));
}

TEST(SysbenchTextTest, NothingMeasuredIsZero) {
  const std::string text = ToSysbenchText({});
  EXPECT_THAT(text, HasSubstr("transactions:                        0      (0.00 per sec.)"));
  EXPECT_THAT(text, HasSubstr("events (avg/stddev):           0.0000/0.00"));
}

}  // namespace
}  // namespace sysfleet
