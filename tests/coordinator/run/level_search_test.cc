#include "coordinator/run/level_search.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Database = std::function<LevelOutcome(int64_t level)>;

/// As many TPS as threads, up to a capacity; the limit is missed above a level.
LevelOutcome Linear(int64_t level, double capacity, int64_t missed_above) {
  return {.level = level,
          .tps = std::min(static_cast<double>(level), capacity),
          .missed = level > missed_above ? "p99 24.10 ms" : ""};
}

/// The levels that are measured, the confirmations included.
std::vector<int64_t> Levels(LevelSearch& search, const Database& database) {
  std::vector<int64_t> levels;
  while (const auto level = search.Next()) {
    levels.push_back(*level);
    search.Add(database(*level));
    if (levels.size() > 100) break;
  }
  return levels;
}

TEST(LevelSearch, DoublesThenHalvesThenConfirms) {
  LevelSearch search(1, 1024);
  const auto levels =
      Levels(search, [](int64_t level) { return Linear(level, 1e9, /*missed_above=*/100); });
  // 100 and 104 are nearer than a twentieth.
  EXPECT_THAT(levels, ElementsAre(1, 2, 4, 8, 16, 32, 64, 128, 96, 112, 104, 100, 100));
  EXPECT_EQ(search.answer(), 100);
  EXPECT_EQ(search.reason(), "104 missed the limit: p99 24.10 ms");
}

TEST(LevelSearch, EndsWhereThroughputStopsGrowing) {
  LevelSearch search(1, 1024);
  const auto levels =
      Levels(search, [](int64_t level) { return Linear(level, /*capacity=*/16, 1 << 20); });
  // 32 brings nothing more than 16 does.
  EXPECT_THAT(levels, ElementsAre(1, 2, 4, 8, 16, 32, 16));
  EXPECT_EQ(search.answer(), 16);
  EXPECT_EQ(search.reason(), "from 16 to 32 throughput grew from 16.0 to 16.0 TPS only");
}

TEST(LevelSearch, EndsAtTheHighestLevelOfThePlan) {
  LevelSearch search(3, 20);
  const auto levels = Levels(search, [](int64_t level) { return Linear(level, 1e9, 1 << 20); });
  EXPECT_THAT(levels, ElementsAre(3, 6, 12, 20, 20));
  EXPECT_EQ(search.answer(), 20);
  EXPECT_THAT(search.reason(), HasSubstr("20 is the highest level"));
}

TEST(LevelSearch, FindsNothingWhereTheFirstLevelMisses) {
  LevelSearch search(8, 64);
  EXPECT_THAT(Levels(search, [](int64_t level) { return Linear(level, 1e9, 4); }), ElementsAre(8));
  EXPECT_EQ(search.answer(), std::nullopt);
  EXPECT_EQ(search.reason(), "8 missed the limit: p99 24.10 ms");
}

TEST(LevelSearch, EndsWhereTheClientsHaveNoTimeLeft) {
  LevelSearch search(1, 1024);
  const auto levels = Levels(search, [](int64_t level) {
    LevelOutcome outcome = Linear(level, 1e9, 1 << 20);
    outcome.is_client_limited = level >= 8;
    return outcome;
  });
  EXPECT_THAT(levels, ElementsAre(1, 2, 4, 8, 8));
  EXPECT_EQ(search.answer(), 8);
  EXPECT_THAT(search.reason(), HasSubstr("at 8 the client machines had no time left"));
}

// What kept the limit by luck does not when it is measured for longer: the next lower one is taken.
TEST(LevelSearch, FallsBackWhereAConfirmationMisses) {
  LevelSearch search(1, 8);
  int of_eight = 0;
  int of_four = 0;
  const auto levels = Levels(search, [&](int64_t level) {
    const bool misses = (level == 8 && ++of_eight == 2) || (level == 4 && ++of_four == 2);
    return Linear(level, 1e9, misses ? 0 : 8);
  });
  EXPECT_THAT(levels, ElementsAre(1, 2, 4, 8, 8, 4, 2));
  EXPECT_EQ(search.answer(), 2);
  EXPECT_EQ(search.reason(), "4 missed the limit when it was confirmed: p99 24.10 ms");
}

TEST(LevelSearch, FindsNothingWhereNoConfirmationHolds) {
  LevelSearch search(1, 2);
  int calls = 0;
  const auto levels =
      Levels(search, [&](int64_t level) { return Linear(level, 1e9, ++calls <= 2 ? 2 : 0); });
  EXPECT_THAT(levels, ElementsAre(1, 2, 2, 1));
  EXPECT_EQ(search.answer(), std::nullopt);
}

}  // namespace
}  // namespace sysfleet
