// What the end-to-end tests share: a folder, a database server of a family, agents, and a plan that
// joins them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/result/result.h"
#include "tests/end_to_end/fleet.h"
#include "tests/end_to_end/process.h"
#include "tests/support/database_server.h"
#include "tests/support/subprocess.h"

namespace sysfleet {

/// An empty folder that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Each test of a family gets its agents anew; the server is shared by the tests of a suite.
class Scenario : public testing::TestWithParam<ServerFamily> {
 protected:
  static void TearDownTestSuite();
  void SetUp() override;

  DatabaseServer& server() const;
  bool is_postgresql() const { return GetParam() == ServerFamily::kPostgresql; }
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path results() const { return folder() / "results"; }

  /// Starts agents that the next plans name, with these options.
  void StartAgents(int agents, const std::vector<std::string>& options = {});
  Fleet& fleet() { return *fleet_; }
  /// The next plans name these addresses instead.
  void SetAgents(std::vector<std::string> addresses) { agents_ = std::move(addresses); }

  /// A plan for this server and these agents, of 4 tables with 1000 rows. `run` is what follows
  /// "run:", on one line: "{workloads: […], threads: 8}". Returns its path.
  std::string WritePlan(const std::string& run);

  /// Arguments that override a plan's keys: Set("database.password", "x").
  static std::vector<std::string> Set(const std::string& key, const std::string& value);

  /// Runs `coordinator COMMAND PLAN OPTIONS…` to its end. `out` has both its streams.
  ProgramOutput Coordinator(const std::string& command, const std::string& plan,
                            const std::vector<std::string>& options = {});

  /// Starts `coordinator run PLAN OPTIONS…`.
  std::unique_ptr<Process> StartRun(const std::string& plan,
                                    const std::vector<std::string>& options = {});

  /// The one result in results(); a failure of the test where there is none or several.
  RunResult Result();

  /// What the server says to SQL; a failure of the test where it refuses.
  std::string Ask(const std::string& sql);

  /// Connections of agents that the server knows.
  int AgentConnections();

  /// Until so many connections are open and update sbtest1's k: agents that are still preparing
  /// statements meet what a test then does in another way. False where the run ends before.
  bool AwaitUpdates(Process& run, int connections);

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Fleet> fleet_;
  std::vector<std::string> agents_;
  int outputs_ = 0;
};

/// "Postgresql" or "Mariadb", for names of tests.
std::string FamilyName(const testing::TestParamInfo<ServerFamily>& info);

}  // namespace sysfleet
