// What an agent's machine can drive: measured, stored, and told to who plans a run. No database.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/end_to_end/scenario.h"

namespace sysfleet {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class CalibrationTest : public testing::Test {
 protected:
  // The highest QPS of oltp_point_select is more than any machine's, that of the other next to
  // nothing.
  std::string WritePlan(const std::string& agents) {
    std::ofstream(folder() / "reference.csv") << "workload,threads,tps,qps\n"
                                                 "oltp_point_select,8,1,1000000000\n"
                                                 "oltp_read_only,8,1,16\n";
    const std::string path = folder() / "plan.yaml";
    std::ofstream(path) << fmt::format(R"(agents: [{}]
database: {{driver: mysql, nodes: ["127.0.0.1:1"]}}
run: {{workloads: [oltp_point_select, oltp_read_only], threads: 8}}
report: {{reference: reference.csv}}
)",
                                       agents);
    return path;
  }

  // With a state folder of the test's own; `out` has both streams.
  ProgramOutput Run(const std::vector<std::string>& arguments) {
    auto output =
        RunProgram(arguments, "", {"STATE_DIRECTORY=", "XDG_STATE_HOME=" + folder().string()});
    EXPECT_TRUE(output.ok()) << output.status();
    if (!output.ok()) return {};
    output->out += output->err;
    return *std::move(output);
  }

  ProgramOutput CheckFleet(const std::string& plan) {
    return Run({CoordinatorProgram(), "check", plan, "--connect"});
  }

  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST_F(CalibrationTest, AMachineIsMeasuredAndItsFleetSized) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two cores";
  const std::string plan = WritePlan("");
  const ProgramOutput before = CheckFleet(plan);
  EXPECT_EQ(before.exit_code, 0) << before.out;
  EXPECT_THAT(before.out, AllOf(HasSubstr("not calibrated: run `agent calibrate` there"),
                                HasSubstr("unknown, because no agent is calibrated")));

  const ProgramOutput calibrate = Run({AgentProgram(), "calibrate", "--seconds", "0.2"});
  ASSERT_EQ(calibrate.exit_code, 0) << calibrate.out;
  const std::string stored = folder() / "sysfleet" / "calibration.json";
  EXPECT_THAT(calibrate.out, AllOf(ContainsRegex("\npostgresql +64 .*\npostgresql +1,024 "),
                                   ContainsRegex("\nmysql +64 .*\nmysql +1,024 "),
                                   HasSubstr("\nstored in " + stored)));

  // The agent that is started for the check reads it from there.
  const ProgramOutput after = CheckFleet(plan);
  EXPECT_EQ(after.exit_code, 0) << after.out;
  EXPECT_THAT(
      after.out,
      AllOf(Not(HasSubstr("not calibrated")),
            ContainsRegex(
                "oltp_point_select +1000.00 M QPS needs about [0-9,]+ cores; the fleet has [0-9]"),
            ContainsRegex("oltp_read_only +16 QPS needs about 1 core\n"),
            HasSubstr("Not enough for oltp_point_select:")));
}

TEST_F(CalibrationTest, AnotherMachinesFileIsIgnoredWithAWarning) {
  const std::string file = folder() / "copied.json";
  std::ofstream(file) << R"({"format": 1, "measured_at": "", "version": "", "host": "",
                             "cores": 65000, "rates": []})";
  auto fleet = Fleet::Start(1, folder(), {"--calibration", file});
  ASSERT_TRUE(fleet.ok()) << fleet.status();
  EXPECT_THAT(fleet->agent(0).Output(),
              HasSubstr("calibration ignored: " + file + ": measured with 65000 cores"));
  const ProgramOutput check = CheckFleet(WritePlan('"' + fleet->addresses()[0] + '"'));
  EXPECT_EQ(check.exit_code, 0) << check.out;
  EXPECT_THAT(check.out, ContainsRegex(fleet->addresses()[0] + " .*not calibrated"));
}

TEST_F(CalibrationTest, AnAgentThatCannotBeReachedIsNamed) {
  const ProgramOutput check = CheckFleet(WritePlan("\"127.0.0.1:1\""));
  EXPECT_EQ(check.exit_code, 3) << check.out;
  EXPECT_THAT(check.out, AllOf(HasSubstr("2 cells"), HasSubstr("agent 127.0.0.1:1: ")));
}

}  // namespace
}  // namespace sysfleet
