// What a database server saw, by its own account.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/database_server.h"

namespace sysfleet {

/// A statement's calls, and the rows that it returned or changed.
struct Seen {
  int64_t calls = 0;
  int64_t rows = 0;

  bool operator==(const Seen&) const = default;
};

/// By text, with N for a table's number and for what differs from call to call. Where the server
/// does not count rows by statement, they are all under "rows …".
using Sight = std::map<std::string, Seen>;

/// A server that remembers what it was told: PostgreSQL in pg_stat_statements and its log, MariaDB
/// in its general log and its counters of rows.
class WatchedServer {
 public:
  static absl::StatusOr<std::unique_ptr<WatchedServer>> Start(ServerFamily family);
  virtual ~WatchedServer() = default;

  DatabaseServer& server() const { return *server_; }

  /// What follows is seen.
  virtual void Begin() = 0;
  virtual Sight Take() = 0;

  /// The first number of every statement since Begin whose text starts so.
  virtual std::vector<int64_t> Ids(const std::string& statement) = 0;

  /// The tables, without their rows, as the family's own program writes them.
  virtual std::string Schema() = 0;

 protected:
  explicit WatchedServer(std::unique_ptr<DatabaseServer> server) : server_(std::move(server)) {}

  /// What the server says to SQL; a failure of the test where it refuses.
  std::string Ask(const std::string& sql) const;

  /// The lines of a file from a place on, which moves to its end.
  static std::vector<std::string> LinesFrom(const std::filesystem::path& path, size_t begin);

 private:
  std::unique_ptr<DatabaseServer> server_;
};

}  // namespace sysfleet
