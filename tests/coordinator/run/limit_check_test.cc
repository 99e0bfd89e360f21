#include "coordinator/run/limit_check.h"

#include <gtest/gtest.h>

#include <string>

namespace sysfleet {
namespace {

/// 100 transactions in 10 s, one to a hundred milliseconds; 25 failed statements.
CellResult MakeCell() {
  CellResult cell;
  cell.measured_seconds = 10;
  cell.transactions = 100;
  cell.reads = 300;
  cell.errors = 25;
  for (int64_t ms = 1; ms <= 100; ++ms) cell.latency.Record(ms * 1'000'000);
  return cell;
}

std::string Missed(const std::string& limit, const CellResult& cell) {
  const auto parsed = ParseLimit(limit);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? MissedLimit(*parsed, cell) : "";
}

TEST(MissedLimit, NamesTheFirstConditionThatDoesNotHold) {
  const CellResult cell = MakeCell();
  EXPECT_EQ(Missed("p99 < 120ms and errors < 21%", cell), "");
  EXPECT_EQ(Missed("max < 100ms", cell), "max 100.00 ms");
  EXPECT_EQ(Missed("max <= 0.1s", cell), "");
  EXPECT_EQ(Missed("avg < 50ms", cell), "avg 50.50 ms");
  EXPECT_EQ(Missed("avg < 51000us", cell), "");
  EXPECT_EQ(Missed("errors < 20%", cell), "errors 20 %");
  EXPECT_EQ(Missed("tps >= 10 and qps > 30", cell), "30.0 QPS");
  EXPECT_EQ(Missed("tps > 10", cell), "10.0 TPS");
}

TEST(MissedLimit, IsOfResponseTimesWhereThereIsARate) {
  CellResult cell = MakeCell();
  cell.open_loop.emplace();
  cell.open_loop->rate_per_s = 10;
  cell.open_loop->response.Record(200'000'000);
  EXPECT_EQ(Missed("max < 150ms", cell), "max 200.00 ms");
  EXPECT_EQ(Missed("max < 300ms", cell), "");
  cell.open_loop->not_begun = 100;
  EXPECT_EQ(Missed("max < 300ms", cell), "rate missed by 50.0 %");
}

TEST(MissedLimit, IsMissedWhereNothingWasDone) {
  EXPECT_EQ(Missed("p99 < 20ms", CellResult{}), "no transaction committed");
}

}  // namespace
}  // namespace sysfleet
