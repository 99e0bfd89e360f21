#include "tests/support/database_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "common/base/status.h"
#include "tests/support/subprocess.h"

namespace sysfleet {
namespace {

constexpr char kScript[] = SYSFLEET_SOURCE_DIR "/deploy/throwaway_server.sh";

// Runs a program that must succeed: what it wrote.
absl::StatusOr<std::string> Call(const std::vector<std::string>& arguments,
                                 std::string_view input = {},
                                 const std::vector<std::string>& environment = {}) {
  absl::StatusOr<ProgramOutput> output = RunProgram(arguments, input, environment);
  if (!output.ok()) return output.status();
  if (output->exit_code != 0) {
    return absl::InternalError(
        fmt::format("{} ended with {}: {}", arguments[0], output->exit_code, output->err));
  }
  return std::move(output->out);
}

std::string Name(ServerFamily family) {
  return family == ServerFamily::kPostgresql ? "postgresql" : "mariadb";
}

}  // namespace

absl::StatusOr<std::unique_ptr<DatabaseServer>> DatabaseServer::Start(
    ServerFamily family, ServerTls tls, const std::vector<std::string>& settings) {
  std::string folder = std::filesystem::temp_directory_path() / "sysfleet-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::InternalError(fmt::format("{}: cannot be made", folder));
  }
  std::unique_ptr<DatabaseServer> server(new DatabaseServer(family, folder));
  SYSFLEET_RETURN_IF_ERROR(server->CallStart(tls, settings));
  return server;
}

DatabaseServer::~DatabaseServer() {
  Stop().IgnoreError();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

absl::Status DatabaseServer::CallStart(ServerTls tls, const std::vector<std::string>& settings) {
  std::vector<std::string> arguments = {kScript, "start"};
  if (tls == ServerTls::kOn) arguments.emplace_back("--tls");
  for (const std::string& setting : settings) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  // A test that is killed leaves no server behind.
  arguments.insert(arguments.end(),
                   {"--owner", std::to_string(getpid()), Name(family_), folder_.string()});
  absl::StatusOr<std::string> facts = Call(arguments);
  if (!facts.ok()) return facts.status();

  endpoint_.host = "127.0.0.1";
  std::istringstream lines(*facts);
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    const std::string name = line.substr(0, equals);
    const std::string value = line.substr(equals + 1);
    if (name == "port") endpoint_.port = static_cast<uint16_t>(std::stoi(value));
    if (name == "pid") pid_ = std::stoi(value);
    if (name == "password") password_ = value;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> DatabaseServer::Run(std::string_view sql) const {
  const std::string port = std::to_string(endpoint_.port);
  if (family_ == ServerFamily::kPostgresql) {
    return Call({"psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h",
                 endpoint_.host, "-p", port, "-U", "sbtest", "-d", "sbtest", "-f", "-"},
                sql, {"PGPASSFILE=" + (folder_ / "pgpass").string()});
  }
  return Call({"mariadb", "--defaults-file=" + (folder_ / "client.cnf").string(), "--port=" + port,
               "--batch", "--skip-column-names", "sbtest"},
              sql);
}

std::vector<std::string> DatabaseServer::SysbenchArgs() const {
  const std::string driver = family_ == ServerFamily::kPostgresql ? "pgsql" : "mysql";
  return {"--db-driver=" + driver,
          fmt::format("--{}-host={}", driver, endpoint_.host),
          fmt::format("--{}-port={}", driver, endpoint_.port),
          fmt::format("--{}-user=sbtest", driver),
          fmt::format("--{}-password={}", driver, password_),
          fmt::format("--{}-db=sbtest", driver)};
}

absl::Status DatabaseServer::Stop() {
  return Call({kScript, "stop", folder_.string()}).status();
}

absl::Status DatabaseServer::StartAgain() {
  return CallStart(ServerTls::kOff, {});
}

}  // namespace sysfleet
