#include "tests/end_to_end/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "coordinator/result/store.h"

namespace sysfleet {
namespace {

std::map<ServerFamily, std::unique_ptr<DatabaseServer>>& Servers() {
  static std::map<ServerFamily, std::unique_ptr<DatabaseServer>> servers;
  return servers;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "sysfleet-test.XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void Scenario::TearDownTestSuite() {
  Servers().clear();
}

void Scenario::SetUp() {
  std::unique_ptr<DatabaseServer>& slot = Servers()[GetParam()];
  if (slot) return;
  auto started = DatabaseServer::Start(GetParam());
  ASSERT_TRUE(started.ok()) << started.status();
  slot = *std::move(started);
}

DatabaseServer& Scenario::server() const {
  return *Servers().at(GetParam());
}

void Scenario::StartAgents(int agents, const std::vector<std::string>& options) {
  auto started = Fleet::Start(agents, folder(), options);
  ASSERT_TRUE(started.ok()) << started.status();
  fleet_ = std::make_unique<Fleet>(*std::move(started));
  agents_ = fleet_->addresses();
}

std::string Scenario::WritePlan(const std::string& run) {
  const std::string path = folder() / "plan.yaml";
  std::ofstream(path) << fmt::format(
      R"(name: scenario
agents: ["{}"]
database:
  driver: {}
  nodes: ["{}"]
  name: sbtest
  user: sbtest
  password: "{}"
dataset: {{tables: 4, table_size: 1000}}
load: {{threads: 4, chunk_rows: 300}}
run: {}
report: {{directory: "{}"}}
)",
      fmt::join(agents_, "\", \""), is_postgresql() ? "postgresql" : "mysql",
      ToString(server().endpoint()), server().password(), run, results().string());
  return path;
}

std::vector<std::string> Scenario::Set(const std::string& key, const std::string& value) {
  return {"--set", fmt::format("{}={}", key, value)};
}

ProgramOutput Scenario::Coordinator(const std::string& command, const std::string& plan,
                                    const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {CoordinatorProgram(), command, plan};
  arguments.insert(arguments.end(), options.begin(), options.end());
  auto output = RunProgram(arguments);
  EXPECT_TRUE(output.ok()) << output.status();
  if (!output.ok()) return {};
  output->out += output->err;
  return *std::move(output);
}

std::unique_ptr<Process> Scenario::StartRun(const std::string& plan,
                                            const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {CoordinatorProgram(), "run", plan};
  arguments.insert(arguments.end(), options.begin(), options.end());
  auto process = Process::Start(arguments, folder() / fmt::format("run-{}.log", ++outputs_));
  EXPECT_TRUE(process.ok()) << process.status();
  return process.ok() ? *std::move(process) : nullptr;
}

RunResult Scenario::Result() {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(results(), error)) {
    found.push_back(entry.path());
  }
  EXPECT_EQ(found.size(), 1u) << "in " << results();
  if (found.size() != 1) return {};
  auto result = FromJson(ReadFile(found[0] / "result.json"));
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : RunResult{};
}

std::string Scenario::Ask(const std::string& sql) {
  auto answer = server().Run(sql);
  EXPECT_TRUE(answer.ok()) << sql << answer.status();
  if (!answer.ok()) return "";
  while (answer->ends_with('\n')) answer->pop_back();
  return *std::move(answer);
}

int Scenario::AgentConnections() {
  // The client that asks is one itself.
  const std::string count =
      is_postgresql()
          ? Ask("SELECT count(*) - 1 FROM pg_stat_activity WHERE backend_type = 'client backend';")
          : Ask("SELECT count(*) - 1 FROM information_schema.processlist WHERE user = 'sbtest';");
  return count.empty() ? -1 : std::atoi(count.c_str());
}

bool Scenario::AwaitUpdates(Process& run, int connections) {
  if (!Eventually([&] { return AgentConnections() == connections || !run.Runs(); })) return false;
  const std::string sum_of_k = "SELECT sum(k) FROM sbtest1";
  const std::string before = Ask(sum_of_k);
  return Eventually([&] { return Ask(sum_of_k) != before || !run.Runs(); }) && run.Runs();
}

std::string FamilyName(const testing::TestParamInfo<ServerFamily>& info) {
  return info.param == ServerFamily::kPostgresql ? "Postgresql" : "Mariadb";
}

}  // namespace sysfleet
