#include "coordinator/plan/limit.h"

#include <gtest/gtest.h>

#include <string>

#include "common/base/status.h"

namespace sysfleet {
namespace {

TEST(ParseLimit, ReadsConditions) {
  const auto limit = ParseLimit("p99.9<=1.5s  and errors < 0.1 % and tps>5k");
  ASSERT_TRUE(limit.ok()) << limit.status();
  ASSERT_EQ(limit->size(), 3u);
  EXPECT_EQ((*limit)[0].metric, Metric::kPercentile);
  EXPECT_EQ((*limit)[0].percent, 99.9);
  EXPECT_EQ((*limit)[0].comparison, Comparison::kAtMost);
  EXPECT_EQ((*limit)[0].value, 1500);
  EXPECT_EQ((*limit)[1].metric, Metric::kErrors);
  EXPECT_EQ((*limit)[1].comparison, Comparison::kBelow);
  EXPECT_DOUBLE_EQ((*limit)[1].value, 0.1);
  EXPECT_EQ((*limit)[2].metric, Metric::kTps);
  EXPECT_EQ((*limit)[2].comparison, Comparison::kAbove);
  EXPECT_EQ((*limit)[2].value, 5000);
  EXPECT_EQ(ToString(*limit), "p99.9<=1.5s and errors < 0.1 % and tps>5k");
}

TEST(ParseLimit, SaysWhatWasExpected) {
  struct Case {
    std::string text;
    std::string message;
  };
  const Case cases[] = {
      {"", "expected a comparison such as p99 < 20ms, got ''"},
      {"p99 20ms", "expected a comparison such as p99 < 20ms, got 'p99 20ms'"},
      {"latency < 20ms",
       "expected avg, max, a percentile such as p99, errors, tps or qps, got 'latency'"},
      {"p101 < 20ms",
       "expected avg, max, a percentile such as p99, errors, tps or qps, got 'p101'"},
      {"p99 < 20", "expected a time such as 20ms, got '20'"},
      {"errors < 1", "expected a share such as 0.1%, got '1'"},
      {"tps > many", "expected a number such as 5000, got 'many'"},
      {"p99 < 20ms and", "expected a time such as 20ms, got '20ms and'"},
  };
  for (const Case& c : cases) {
    const auto limit = ParseLimit(c.text);
    ASSERT_FALSE(limit.ok()) << c.text;
    EXPECT_EQ(Message(limit.status()), c.message);
  }
}

}  // namespace
}  // namespace sysfleet
