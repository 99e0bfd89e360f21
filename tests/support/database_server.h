// A throw-away database server on loopback for tests, over deploy/throwaway_server.sh.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/endpoint.h"

namespace sysfleet {

enum class ServerFamily { kPostgresql, kMariadb };
enum class ServerTls { kOff, kOn };

/// Its database is "sbtest", its user "sbtest", who may do everything. The destructor ends the
/// server and removes its files. Not for use from several threads at once.
class DatabaseServer {
 public:
  /// `settings` are lines of its configuration file: "log_statement = all".
  static absl::StatusOr<std::unique_ptr<DatabaseServer>> Start(
      ServerFamily family, ServerTls tls = ServerTls::kOff,
      const std::vector<std::string>& settings = {});
  ~DatabaseServer();
  DatabaseServer(const DatabaseServer&) = delete;
  DatabaseServer& operator=(const DatabaseServer&) = delete;

  const Endpoint& endpoint() const { return endpoint_; }
  const std::string& password() const { return password_; }
  pid_t Pid() const { return pid_; }
  /// Where its log is: server.log.
  const std::filesystem::path& folder() const { return folder_; }

  /// Runs SQL statements, each ended by a semicolon, in the family's own client: their rows, one a
  /// line, with tabs between the columns. An error where one fails.
  absl::StatusOr<std::string> Run(std::string_view sql) const;

  /// sysbench's options to connect to this server.
  std::vector<std::string> SysbenchArgs() const;

  /// Ends the server, breaking off its connections. Its data stay.
  absl::Status Stop();

  /// Starts it again after Stop, at the same endpoint, with the same password.
  absl::Status StartAgain();

 private:
  DatabaseServer(ServerFamily family, std::filesystem::path folder)
      : family_(family), folder_(std::move(folder)) {}

  absl::Status CallStart(ServerTls tls, const std::vector<std::string>& settings);

  ServerFamily family_;
  std::filesystem::path folder_;
  Endpoint endpoint_;
  std::string password_;
  pid_t pid_ = 0;
};

}  // namespace sysfleet
