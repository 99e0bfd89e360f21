// What breaks between coordinator and agents: nothing is counted twice or lost, and no load is left
// that nobody steers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/end_to_end/scenario.h"
#include "tests/support/proxy.h"

namespace sysfleet {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

constexpr int kFailedOnTheWay = 4;

class LeaseTest : public Scenario {
 protected:
  void SetUp() override {
    Scenario::SetUp();
    StartAgents(2);
  }

  /// The coordinator reaches agent 0 through a network that can be broken.
  void LeadThroughProxy() {
    auto started = Proxy::Start(*ParseEndpoint(fleet().addresses()[0], 0));
    ASSERT_TRUE(started.ok()) << started.status();
    proxy_ = *std::move(started);
    SetAgents({ToString(proxy_->endpoint()), fleet().addresses()[1]});
  }
  Proxy& proxy() { return *proxy_; }

  /// One cell of 8 connections, audited; returns when it is under way.
  std::unique_ptr<Process> StartCell(seconds lease, seconds time) {
    const std::string plan = WritePlan(fmt::format(
        "{{workloads: [oltp_update_index], threads: 8, time: {}s, audit: true}}", time.count()));
    std::unique_ptr<Process> run =
        StartRun(plan, Set("fleet.lease", fmt::format("{}s", lease.count())));
    EXPECT_TRUE(AwaitUpdates(*run, 8));
    return run;
  }

  bool IsUnderLoad() { return AgentConnections() == 8; }

  /// No gap, every window of every agent once, and the database agrees with the sum.
  void ExpectCompleteAndTrue(int windows) {
    const RunResult result = Result();
    ASSERT_EQ(result.cells.size(), 1u);
    const CellResult& cell = result.cells[0];
    EXPECT_EQ(cell.status, CellStatus::kComplete) << cell.problem;
    EXPECT_EQ(std::count_if(cell.windows.begin(), cell.windows.end(),
                            [](const WindowResult& window) { return !window.gap; }),
              windows);
    ASSERT_TRUE(cell.audit);
    EXPECT_TRUE(cell.audit->agrees());
    EXPECT_GT(cell.transactions, 0u);
  }

 private:
  std::unique_ptr<Proxy> proxy_;
};

TEST_P(LeaseTest, RidesOutANetworkThatStallsForThreeSeconds) {
  LeadThroughProxy();
  const std::unique_ptr<Process> run = StartCell(seconds(10), seconds(8));
  proxy().Set(Proxy::Mode::kStall);
  std::this_thread::sleep_for(seconds(3));
  EXPECT_TRUE(IsUnderLoad());
  proxy().Set(Proxy::Mode::kPass);
  EXPECT_EQ(run->Wait(), 0) << run->Output();
  ExpectCompleteAndTrue(8);
}

TEST_P(LeaseTest, AttachesAgainWhereConnectionsAreReset) {
  LeadThroughProxy();
  const std::unique_ptr<Process> run = StartCell(seconds(10), seconds(8));
  for (int i = 0; i < 3; ++i) {
    proxy().Set(Proxy::Mode::kReset);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    proxy().Set(Proxy::Mode::kPass);
    std::this_thread::sleep_for(seconds(1));
  }
  EXPECT_EQ(run->Wait(), 0) << run->Output();
  ExpectCompleteAndTrue(8);
  EXPECT_THAT(ReadFile(folder() / "agent-0.log"), HasSubstr("goes on over another stream"));
}

TEST_P(LeaseTest, NetworkCutForGoodEndsTheLoad) {
  LeadThroughProxy();
  const std::unique_ptr<Process> run = StartCell(seconds(2), seconds(60));
  proxy().Set(Proxy::Mode::kStall);
  const auto cut = steady_clock::now();
  EXPECT_TRUE(Eventually([&] { return AgentConnections() == 0; }));
  // The lease of 2 s, and 2 s to end; ten times that on a slow machine.
  EXPECT_LT(steady_clock::now() - cut, seconds(40));
  EXPECT_EQ(run->Wait(), kFailedOnTheWay) << run->Output();
  EXPECT_THAT(run->Output(), HasSubstr("agent " + ToString(proxy().endpoint())));
  EXPECT_THAT(run->Output(), HasSubstr("(lease over)"));
}

TEST_P(LeaseTest, KilledCoordinatorLeavesNoLoad) {
  const std::unique_ptr<Process> run = StartCell(seconds(2), seconds(60));
  run->Signal(SIGKILL);
  const auto killed = steady_clock::now();
  EXPECT_TRUE(Eventually([&] { return AgentConnections() == 0; }));
  EXPECT_LT(steady_clock::now() - killed, seconds(40));
  EXPECT_TRUE(fleet().agent(0).Runs());
  EXPECT_TRUE(fleet().agent(1).Runs());
}

TEST_P(LeaseTest, AgentThatStandsStillForLessThanTheLeaseGoesOn) {
  const std::unique_ptr<Process> run = StartCell(seconds(20), seconds(8));
  fleet().agent(1).Signal(SIGSTOP);
  std::this_thread::sleep_for(seconds(2));
  fleet().agent(1).Signal(SIGCONT);
  EXPECT_EQ(run->Wait(), 0) << run->Output();
  ExpectCompleteAndTrue(8);
}

TEST_P(LeaseTest, AgentThatStandsStillForLongerIsGivenUpAndEndsItsLoad) {
  const std::unique_ptr<Process> run = StartCell(seconds(1), seconds(60));
  fleet().agent(1).Signal(SIGSTOP);
  EXPECT_EQ(run->Wait(), kFailedOnTheWay) << run->Output();
  EXPECT_THAT(run->Output(), HasSubstr("agent " + fleet().addresses()[1]));
  fleet().agent(1).Signal(SIGCONT);
  EXPECT_TRUE(Eventually([&] { return AgentConnections() == 0; }));
  const ProgramOutput next =
      Coordinator("run", WritePlan("{workloads: [oltp_point_select], threads: 2, time: 1s}"));
  EXPECT_EQ(next.exit_code, 0) << next.out;
}

TEST_P(LeaseTest, CoordinatorThatStandsStillForLongerHasNoLoadLeft) {
  const std::unique_ptr<Process> run = StartCell(seconds(1), seconds(60));
  run->Signal(SIGSTOP);
  EXPECT_TRUE(Eventually([&] { return AgentConnections() == 0; }));
  run->Signal(SIGCONT);
  EXPECT_EQ(run->Wait(), kFailedOnTheWay) << run->Output();
}

INSTANTIATE_TEST_SUITE_P(Families, LeaseTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         FamilyName);

}  // namespace
}  // namespace sysfleet
