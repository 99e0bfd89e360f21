// Transactions that start when it is time for them, on real servers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/end_to_end/scenario.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;

class OpenLoopTest : public Scenario {
 protected:
  void SetUp() override {
    Scenario::SetUp();
    StartAgents(2);
  }

  /// The only cell of a run that must succeed.
  CellResult Run(const std::string& run_section) {
    const ProgramOutput run = Coordinator("run", WritePlan(run_section));
    EXPECT_EQ(run.exit_code, 0) << run.out;
    RunResult result = Result();
    EXPECT_EQ(result.cells.size(), 1u);
    EXPECT_TRUE(!result.cells.empty() && result.cells[0].open_loop);
    return result.cells.empty() ? CellResult{} : std::move(result.cells[0]);
  }
};

/// What became of all intended starts.
uint64_t Accounted(const CellResult& cell) {
  return cell.total_transactions + cell.total_rolled_back + cell.total_failed + cell.unfinished +
         cell.open_loop->not_begun + cell.open_loop->warmup_left_out;
}

TEST_P(OpenLoopTest, ReachesARateThatIsEasyAndLosesNoStart) {
  const CellResult cell =
      Run("{workloads: [oltp_point_select], threads: 8, warmup_time: 1s, time: 4s, rate: 400/s, "
          "arrivals: even}");
  EXPECT_EQ(Accounted(cell), 2'000u);
  EXPECT_NEAR(cell.Tps(), 400, 20);
  EXPECT_LT(cell.RateMissed(), 0.01);
  // Up to one for each connection was to begin in the warm-up.
  EXPECT_LE(cell.open_loop->response.count(), cell.transactions);
  EXPECT_GE(cell.open_loop->response.count() + 8, cell.transactions);
  EXPECT_EQ(cell.open_loop->waiting.count(), cell.open_loop->response.count());
  // A response is waiting and service.
  EXPECT_GE(cell.open_loop->response.MeanNs(), cell.latency.MeanNs());
}

TEST_P(OpenLoopTest, OverloadSaysByHowMuchTheRateWasMissed) {
  const std::string plan =
      WritePlan("{workloads: [oltp_read_write], threads: 2, time: 3s, rate: 1M/s, arrivals: even}");
  const ProgramOutput run = Coordinator("run", plan);
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("rate missed by "));
  const RunResult result = Result();
  ASSERT_EQ(result.cells.size(), 1u);
  const CellResult& cell = result.cells[0];
  EXPECT_EQ(Accounted(cell), 3'000'000u);
  EXPECT_GT(cell.RateMissed(), 0.9);
  // Whoever came last had waited for nearly all of the time.
  EXPECT_GT(cell.open_loop->response.max_ns(), 2'000'000'000);
  EXPECT_LT(cell.latency.max_ns(), cell.open_loop->response.max_ns());
  ASSERT_TRUE(cell.windows.back().queue);
  EXPECT_GT(cell.windows.back().queue->queued, 2'000'000u);
}

// The tables are locked for a second: those who would have come meanwhile feel it, not only the few
// whose statements were under way.
TEST_P(OpenLoopTest, AStallIsFeltByAllWhoCameMeanwhile) {
  ASSERT_EQ(
      Coordinator("prepare", WritePlan("{workloads: [oltp_point_select], threads: 2}")).exit_code,
      0);
  const std::unique_ptr<Process> run =
      StartRun(WritePlan("{workloads: [oltp_update_index], threads: 4, time: 8s, rate: 200/s}"));
  ASSERT_TRUE(AwaitUpdates(*run, 4));
  if (is_postgresql()) {
    Ask("BEGIN; LOCK TABLE sbtest1, sbtest2, sbtest3, sbtest4 IN EXCLUSIVE MODE; "
        "SELECT pg_sleep(2); COMMIT;");
  } else {
    Ask("LOCK TABLES sbtest1 WRITE, sbtest2 WRITE, sbtest3 WRITE, sbtest4 WRITE; "
        "SELECT SLEEP(2); UNLOCK TABLES;");
  }
  EXPECT_EQ(run->Wait(), 0) << run->Output();
  const RunResult result = Result();
  ASSERT_EQ(result.cells.size(), 1u);
  const CellResult& cell = result.cells[0];
  ASSERT_TRUE(cell.open_loop);
  const auto longer_than_half_a_second = [](const Histogram& histogram) {
    uint64_t count = 0;
    for (size_t i = histogram.first_used(); i < histogram.used_end(); ++i) {
      if (Histogram::MiddleOf(i) > 500'000'000) count += histogram.buckets()[i];
    }
    return count;
  };
  // 200 a second came for the second and a half that they had to wait so long; half of them, for
  // what the lock took to come.
  EXPECT_GT(longer_than_half_a_second(cell.open_loop->response), 150u);
  EXPECT_LE(longer_than_half_a_second(cell.latency), 4u);
}

TEST_P(OpenLoopTest, TheWarmupsBacklogStaysBehind) {
  const CellResult cell =
      Run("{workloads: [oltp_read_write], threads: 2, warmup_time: 2s, time: 1s, rate: 100k/s, "
          "arrivals: even}");
  EXPECT_EQ(Accounted(cell), 300'000u);
  EXPECT_GT(cell.open_loop->warmup_left_out, 100'000u);
  // Nobody in the measurement waited from the warm-up on.
  EXPECT_LT(cell.open_loop->waiting.max_ns(), 1'100'000'000);
}

INSTANTIATE_TEST_SUITE_P(Families, OpenLoopTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         FamilyName);

}  // namespace
}  // namespace sysfleet
