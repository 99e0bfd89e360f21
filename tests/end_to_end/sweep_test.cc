// How the cells of a run follow one another, on real servers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/end_to_end/scenario.h"

namespace sysfleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kUsage = 2;
constexpr int kLimitMissed = 6;

class SweepTest : public Scenario {
 protected:
  void SetUp() override {
    Scenario::SetUp();
    StartAgents(2);
  }
};

TEST_P(SweepTest, RepeatsInterleavedWithSqlAroundEachCell) {
  Ask("CREATE TABLE diary (line INT)");
  const ProgramOutput run = Coordinator(
      "run", WritePlan("{workloads: [oltp_point_select], threads: [2, 3], time: 1s, repeat: 2, "
                       "order: interleaved, pause: 1s, before_cell: [\"INSERT INTO diary VALUES "
                       "(1)\", \"INSERT INTO diary VALUES (2)\"], after_cell: \"INSERT INTO diary "
                       "VALUES (3)\"}"));
  EXPECT_EQ(run.exit_code, 0) << run.out;
  const RunResult result = Result();
  std::vector<std::pair<int, int>> cells;
  for (const CellResult& cell : result.cells) {
    EXPECT_EQ(cell.status, CellStatus::kComplete);
    cells.emplace_back(cell.threads, cell.repetition);
  }
  EXPECT_THAT(cells,
              ElementsAre(std::pair(2, 1), std::pair(3, 1), std::pair(2, 2), std::pair(3, 2)));
  EXPECT_EQ(Ask("SELECT count(*) FROM diary"), "12");
  EXPECT_EQ(Ask("SELECT sum(line) FROM diary"), "24");
  Ask("DROP TABLE diary");
}

TEST_P(SweepTest, SqlThatTheServerRefusesEndsTheRun) {
  const ProgramOutput run = Coordinator(
      "run", WritePlan("{workloads: [oltp_point_select], threads: [2, 3], time: 1s, after_cell: "
                       "\"INSERT INTO nowhere VALUES (1)\"}"));
  EXPECT_EQ(run.exit_code, 4) << run.out;
  EXPECT_THAT(run.out, HasSubstr("run.after_cell: "));
  EXPECT_THAT(run.out, HasSubstr("nowhere"));
  EXPECT_EQ(Result().cells.size(), 1u);
}

// Transactions at an even rate are as steady as can be.
TEST_P(SweepTest, WarmupEndsWhenThroughputIsSteady) {
  const ProgramOutput run = Coordinator(
      "run", WritePlan("{workloads: [oltp_point_select], threads: 4, rate: 400/s, arrivals: even, "
                       "warmup_time: {min: 2s, max: 60s}, time: 3s}"));
  EXPECT_EQ(run.exit_code, 0) << run.out;
  const RunResult result = Result();
  ASSERT_EQ(result.cells.size(), 1u);
  const CellResult& cell = result.cells[0];
  ASSERT_TRUE(cell.warmup);
  EXPECT_TRUE(cell.warmup->steady);
  EXPECT_EQ(cell.warmup->seconds_max, 60);
  // Ten seconds are looked at, and agents are told two ahead.
  EXPECT_GE(cell.warmup->seconds, 12);
  EXPECT_LT(cell.warmup->seconds, 60);
  EXPECT_EQ(cell.windows.size(), static_cast<size_t>(cell.warmup->seconds + 3));
  EXPECT_EQ(cell.measured_seconds, 3);
  EXPECT_NEAR(cell.Tps(), 400, 20);
  EXPECT_EQ(cell.total_transactions + cell.unfinished + cell.open_loop->not_begun +
                cell.open_loop->warmup_left_out,
            static_cast<uint64_t>(400 * (cell.warmup->seconds + 3)));
}

TEST_P(SweepTest, SearchFindsALevelThatKeepsItsLimit) {
  const ProgramOutput run = Coordinator(
      "run", WritePlan("{workloads: [oltp_point_select], time: 1s, search: {vary: threads, limit: "
                       "\"p99 < 60s and errors < 1%\", from: 2, to: 4, confirm_time: 2s}}"));
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("search     "));
  const RunResult result = Result();
  ASSERT_EQ(result.searches.size(), 1u);
  const SearchResult& search = result.searches[0];
  ASSERT_TRUE(search.answer);
  EXPECT_TRUE(*search.answer == 2 || *search.answer == 4) << *search.answer;
  // 2, 4, and the better one again, for longer.
  ASSERT_EQ(result.cells.size(), 3u);
  EXPECT_EQ(search.levels.size(), 3u);
  EXPECT_EQ(result.cells[2].measured_seconds, 2);
  EXPECT_EQ(result.cells[2].threads, *search.answer);
}

// What is asked for is twice what comes.
TEST_P(SweepTest, SearchOfARateEndsWhereItIsMissed) {
  const ProgramOutput run = Coordinator(
      "run", WritePlan("{workloads: [oltp_point_select], threads: 2, time: 1s, arrivals: even, "
                       "search: {vary: rate, limit: \"p99 < 60s\", from: 200, to: 1G}}"));
  EXPECT_EQ(run.exit_code, 0) << run.out;
  const RunResult result = Result();
  ASSERT_EQ(result.searches.size(), 1u);
  const SearchResult& search = result.searches[0];
  ASSERT_TRUE(search.answer);
  EXPECT_GT(*search.answer, 200);
  EXPECT_LT(*search.answer, 1'000'000);
  EXPECT_EQ(search.levels[0].level, 200);
  EXPECT_EQ(search.levels[1].level, 400);
}

TEST_P(SweepTest, SearchThatFindsNothingSaysSo) {
  const ProgramOutput run = Coordinator(
      "run", WritePlan("{workloads: [oltp_point_select], time: 1s, search: {vary: threads, limit: "
                       "\"max < 1us\", from: 2}}"));
  EXPECT_EQ(run.exit_code, kLimitMissed) << run.out;
  EXPECT_THAT(run.out, HasSubstr("nothing keeps max < 1us; 2 missed the limit: max "));
  EXPECT_EQ(Result().cells.size(), 1u);
}

TEST_P(SweepTest, SearchesThatCannotBeMeantAreRefused) {
  const ProgramOutput run = Coordinator(
      "check", WritePlan("{workloads: [oltp_point_select], threads: 2, repeat: 2, search: {limit: "
                         "\"p99 < 20\"}}"));
  EXPECT_EQ(run.exit_code, kUsage);
  EXPECT_THAT(run.out, HasSubstr("run.search.limit: expected a time such as 20ms, got '20'"));
  EXPECT_THAT(run.out, HasSubstr("run.search: not together with repeat or order"));
}

INSTANTIATE_TEST_SUITE_P(Families, SweepTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         FamilyName);

}  // namespace
}  // namespace sysfleet
