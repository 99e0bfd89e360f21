// What is wrong before the start: one clear message, a non-zero exit code, no load.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>

#include "tests/end_to_end/scenario.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;

constexpr int kUsageOrPlan = 2;
constexpr int kPreflight = 3;

class MistakesTest : public Scenario {
 protected:
  void SetUp() override {
    Scenario::SetUp();
    StartAgents(1);
    plan_ = WritePlan("{workloads: [oltp_point_select], threads: 2, time: 1s}");
  }

  /// The run ends with this code and says this, and no connection is left.
  void ExpectRefusal(const std::vector<std::string>& options, int exit_code,
                     const std::string& message) {
    const ProgramOutput run = Coordinator("run", plan_, options);
    EXPECT_EQ(run.exit_code, exit_code) << run.out;
    EXPECT_THAT(run.out, HasSubstr(message));
    EXPECT_THAT(run.out, testing::Not(HasSubstr(server().password())));
    EXPECT_TRUE(Eventually([&] { return AgentConnections() == 0; }));
  }

  std::string plan_;
};

TEST_P(MistakesTest, AgentNotReachable) {
  ExpectRefusal(Set("agents", "[\"127.0.0.1:1\"]"), kPreflight, "agent 127.0.0.1:1");
}

TEST_P(MistakesTest, DatabaseNotReachable) {
  ExpectRefusal(Set("database.nodes", "[\"127.0.0.1:1\"]"), kPreflight, "database 127.0.0.1:1");
}

TEST_P(MistakesTest, WrongPassword) {
  ExpectRefusal(Set("database.password", "no-such-password"), kPreflight,
                fmt::format("database {}", ToString(server().endpoint())));
}

TEST_P(MistakesTest, MissingDatabase) {
  ExpectRefusal(Set("database.name", "no_such_database"), kPreflight, "no_such_database");
}

TEST_P(MistakesTest, TableWithoutAColumn) {
  ASSERT_EQ(Coordinator("prepare", plan_).exit_code, 0);
  Ask("ALTER TABLE sbtest2 DROP COLUMN pad;");
  const ProgramOutput run = Coordinator("run", plan_);
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.out, testing::AllOf(HasSubstr("sbtest2"), HasSubstr("pad")));
  EXPECT_EQ(Coordinator("prepare", plan_, {"--recreate"}).exit_code, 0);
}

TEST_P(MistakesTest, ResultsCannotBeWritten) {
  const std::string file = folder() / "file";
  std::ofstream(file) << "no folder";
  const ProgramOutput run = Coordinator("run", plan_, Set("report.directory", file + "/results"));
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.out, HasSubstr(file));
}

TEST_P(MistakesTest, AgentIsBusy) {
  const std::string longer = WritePlan("{workloads: [oltp_point_select], threads: 2, time: 600s}");
  const std::unique_ptr<Process> first = StartRun(longer);
  ASSERT_TRUE(Eventually([&] { return AgentConnections() >= 2 || !first->Runs(); }));
  const ProgramOutput second = Coordinator("run", longer);
  EXPECT_EQ(second.exit_code, kPreflight) << second.out;
  EXPECT_THAT(second.out, HasSubstr("busy with run scenario"));
  EXPECT_TRUE(first->Runs()) << first->Output();
  first->Signal(SIGINT);
  EXPECT_EQ(first->Wait(), 130) << first->Output();
}

INSTANTIATE_TEST_SUITE_P(Families, MistakesTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         FamilyName);

// Only MariaDB changes its limit while it runs.
class TooManyConnectionsTest : public Scenario {};

TEST_P(TooManyConnectionsTest, NamesTheNode) {
  StartAgents(1);
  const std::string plan = WritePlan("{workloads: [oltp_point_select], threads: 64, time: 1s}");
  ASSERT_EQ(Coordinator("prepare", plan).exit_code, 0);
  Ask("SET GLOBAL max_connections = 20;");
  const ProgramOutput run = Coordinator("run", plan);
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.out, testing::AllOf(HasSubstr(ToString(server().endpoint())),
                                      HasSubstr("Too many connections")));
  Ask("SET GLOBAL max_connections = 2000;");
  EXPECT_EQ(Coordinator("run", plan).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, TooManyConnectionsTest, testing::Values(ServerFamily::kMariadb),
                         FamilyName);

struct BadPlan {
  std::string name;
  std::string text;
  std::string message;
};

class BadPlanTest : public testing::TestWithParam<BadPlan> {};

constexpr std::string_view kHead =
    "name: bad\ndatabase: {driver: mysql, nodes: [127.0.0.1], user: u, password: p}\n";

TEST_P(BadPlanTest, IsRefusedWithItsPlace) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "plan.yaml";
  std::ofstream(path, std::ios::binary) << GetParam().text;
  const auto check = RunProgram({CoordinatorProgram(), "check", path});
  ASSERT_TRUE(check.ok()) << check.status();
  EXPECT_EQ(check->exit_code, kUsageOrPlan);
  EXPECT_THAT(check->err, HasSubstr("plan.yaml"));
  EXPECT_THAT(check->err, HasSubstr(GetParam().message));
}

std::vector<BadPlan> BadPlans() {
  const std::string head(kHead);
  return {
      {"Empty", "", "empty"},
      {"Binary",
       std::string("\x7f"
                   "ELF\0\1\2\xff",
                   8),
       "plan.yaml:1"},
      {"Tab", head + "run:\n\tthreads: 1\n", "plan.yaml:4"},
      {"DuplicateKey", head + "name: again\n", "plan.yaml:3:1"},
      {"ZeroThreads", head + "run: {workloads: [oltp_insert], threads: 0}\n", "run.threads"},
      {"FewerThreadsThanAgents",
       head + "agents: [localhost:1, localhost:2]\nrun: {workloads: [oltp_insert], threads: 1}\n",
       "agents"},
      {"TooManyRows",
       head + "dataset: {table_size: 1000000000000}\nrun: {workloads: [oltp_insert]}\n",
       "table_size"},
      {"UnknownKey", head + "run: {workloads: [oltp_insert], thread: 1}\n", "'threads'"},
  };
}

std::string PlanName(const testing::TestParamInfo<BadPlan>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Plans, BadPlanTest, testing::ValuesIn(BadPlans()), PlanName);

}  // namespace
}  // namespace sysfleet
