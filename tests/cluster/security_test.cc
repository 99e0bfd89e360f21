// Who may speak with an agent, and what is said to who may not: with the certificates that
// deploy/certs.sh makes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "tests/end_to_end/scenario.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;

constexpr int kPreflight = 3;

class SecurityTest : public Scenario {
 protected:
  void SetUp() override {
    Scenario::SetUp();
    Certs({"ca"});
    Certs({"agent", "agent-1", "127.0.0.1"});
    Certs({"coordinator"});
  }

  void Certs(const std::vector<std::string>& arguments, const std::string& ca = "certs") {
    std::vector<std::string> command = {SourceFolder() / "deploy" / "certs.sh", "--folder",
                                        folder() / ca};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const auto output = RunProgram(command);
    ASSERT_TRUE(output.ok() && output->exit_code == 0) << output->err;
  }

  std::string File(const std::string& name, const std::string& ca = "certs") const {
    return folder() / ca / name;
  }

  void StartAgent(const std::string& pair, const std::string& ca = "certs") {
    StartAgents(1, {"--tls-ca", File("ca.crt", ca), "--tls-certificate", File(pair + ".crt", ca),
                    "--tls-key", File(pair + ".key", ca)});
  }

  ProgramOutput Run(const std::string& pair, const std::string& ca = "certs") {
    return Coordinator(
        "run", WritePlan("{workloads: [oltp_point_select], threads: 2, time: 1s}"),
        Set("fleet.tls",
            fmt::format("{{ca: \"{}\", certificate: \"{}\", key: \"{}\"}}", File("ca.crt", ca),
                        File(pair + ".crt", ca), File(pair + ".key", ca))));
  }

  void ExpectRefused(const ProgramOutput& run, const std::string& why) {
    EXPECT_EQ(run.exit_code, kPreflight) << run.out;
    EXPECT_THAT(run.out, HasSubstr(why));
  }
};

TEST_P(SecurityTest, RunsOverMutualTls) {
  StartAgent("agent-1");
  const ProgramOutput run = Run("coordinator");
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_GT(Result().cells.at(0).transactions, 0u);
}

TEST_P(SecurityTest, AgentRefusesWhoIsNoCoordinator) {
  StartAgent("agent-1");
  Certs({"agent", "other"});
  ExpectRefused(Run("other"), "other.crt: the certificate is not one for a coordinator");
}

TEST_P(SecurityTest, AgentRefusesACoordinatorOfAnotherCa) {
  StartAgent("agent-1");
  Certs({"ca"}, "strangers");
  Certs({"coordinator"}, "strangers");
  ExpectRefused(Run("coordinator", "strangers"), "its certificate is not of the plan's CA");
}

TEST_P(SecurityTest, CoordinatorRefusesAnAgentOfAnotherName) {
  Certs({"agent", "agent-2"});
  StartAgent("agent-2");
  ExpectRefused(Run("coordinator"), "its certificate is not for '127.0.0.1'");
}

TEST_P(SecurityTest, CoordinatorRefusesAnExpiredCertificateOfItsOwn) {
  StartAgent("agent-1");
  Certs({"--days", "-1", "coordinator"});
  ExpectRefused(Run("coordinator"), "coordinator.crt: the certificate expired at");
}

TEST_P(SecurityTest, CoordinatorRefusesAnAgentInPlainText) {
  StartAgents(1);
  ExpectRefused(Run("coordinator"), "it speaks plain text and the plan wants TLS");
}

TEST_P(SecurityTest, AgentRefusesPlainText) {
  StartAgent("agent-1");
  ExpectRefused(
      Coordinator("run", WritePlan("{workloads: [oltp_point_select], threads: 2, time: 1s}")),
      "it closed the connection at once");
  // It still serves who may.
  EXPECT_EQ(Run("coordinator").exit_code, 0);
}

TEST_P(SecurityTest, AgentTakesANewCertificateWithoutARestart) {
  Certs({"agent", "agent-2"});
  StartAgent("agent-2");
  EXPECT_EQ(Run("coordinator").exit_code, kPreflight);
  Certs({"agent", "agent-2", "127.0.0.1"});
  EXPECT_TRUE(Eventually([&] { return Run("coordinator").exit_code == 0; }));
}

INSTANTIATE_TEST_SUITE_P(Families, SecurityTest, testing::Values(ServerFamily::kPostgresql),
                         FamilyName);

}  // namespace
}  // namespace sysfleet
