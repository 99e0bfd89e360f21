// What goes wrong on the way: nothing crashes, nothing that was finished is lost, no load is left.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>

#include "tests/end_to_end/scenario.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;

constexpr int kFailedOnTheWay = 4;
constexpr int kInterrupted = 130;

class BadLuckTest : public Scenario {
 protected:
  /// Two cells of 3 s, with 4 and 7 connections: a client of the test that is just going is not
  /// taken for the second one. Returns in the middle of that.
  std::unique_ptr<Process> StartAndReachSecondCell() {
    const std::string plan =
        WritePlan("{workloads: [oltp_update_index], threads: [4, 7], time: 3s}");
    std::unique_ptr<Process> run = StartRun(plan, Set("fleet.lease", "2s"));
    EXPECT_TRUE(AwaitUpdates(*run, 7));
    return run;
  }

  void ExpectFirstCellIsKept() {
    const RunResult result = Result();
    EXPECT_EQ(result.planned_cells, 2);
    ASSERT_GE(result.cells.size(), 1u);
    EXPECT_EQ(result.cells[0].status, CellStatus::kComplete);
    EXPECT_GT(result.cells[0].transactions, 0u);
    for (size_t i = 1; i < result.cells.size(); ++i) {
      EXPECT_NE(result.cells[i].status, CellStatus::kComplete);
    }
  }
};

TEST_P(BadLuckTest, InterruptKeepsFinishedCells) {
  StartAgents(2);
  const std::unique_ptr<Process> run = StartAndReachSecondCell();
  run->Signal(SIGINT);
  EXPECT_EQ(run->Wait(), kInterrupted) << run->Output();
  EXPECT_THAT(run->Output(), HasSubstr("interrupted"));
  ExpectFirstCellIsKept();
  EXPECT_TRUE(Result().interrupted);
  EXPECT_TRUE(Eventually([&] { return AgentConnections() == 0; }));
  EXPECT_TRUE(fleet().agent(0).Runs());
  EXPECT_TRUE(fleet().agent(1).Runs());
}

TEST_P(BadLuckTest, AgentsStopTheLoadOfACoordinatorThatDied) {
  StartAgents(2);
  const std::unique_ptr<Process> run = StartAndReachSecondCell();
  run->Signal(SIGKILL);
  EXPECT_TRUE(Eventually([&] { return AgentConnections() == 0; }));
  const ProgramOutput next =
      Coordinator("run", WritePlan("{workloads: [oltp_point_select], threads: 2, time: 1s}"));
  EXPECT_EQ(next.exit_code, 0) << next.out;
}

TEST_P(BadLuckTest, LosingAnAgentFailsTheCell) {
  StartAgents(2);
  const std::unique_ptr<Process> run = StartAndReachSecondCell();
  fleet().agent(1).Signal(SIGKILL);
  EXPECT_EQ(run->Wait(), kFailedOnTheWay) << run->Output();
  EXPECT_THAT(run->Output(), HasSubstr("agent " + fleet().addresses()[1]));
  ExpectFirstCellIsKept();
  EXPECT_TRUE(Eventually([&] { return AgentConnections() == 0; }));
}

TEST_P(BadLuckTest, DatabaseThatRestartsIsConnectedToAgain) {
  StartAgents(2);
  const std::string plan = WritePlan("{workloads: [oltp_update_index], threads: 8, time: 15s}");
  const std::unique_ptr<Process> run = StartRun(plan);
  ASSERT_TRUE(AwaitUpdates(*run, 8));
  const absl::Status stopped = server().Stop();
  ASSERT_TRUE(stopped.ok()) << stopped;
  const absl::Status started = server().StartAgain();
  ASSERT_TRUE(started.ok()) << started;
  ASSERT_TRUE(Eventually([&] { return AgentConnections() == 8 || !run->Runs(); }));
  EXPECT_EQ(run->Wait(), 0) << run->Output();
  EXPECT_TRUE(fleet().agent(0).Runs());
  EXPECT_TRUE(fleet().agent(1).Runs());
  const RunResult result = Result();
  ASSERT_EQ(result.cells.size(), 1u);
  const CellResult& cell = result.cells[0];
  EXPECT_EQ(cell.status, CellStatus::kComplete) << cell.problem;
  EXPECT_GE(cell.errors, 8u);
  EXPECT_GE(cell.reconnects, 8u);
  EXPECT_FALSE(cell.error_kinds.empty());
}

INSTANTIATE_TEST_SUITE_P(Families, BadLuckTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         FamilyName);

}  // namespace
}  // namespace sysfleet
