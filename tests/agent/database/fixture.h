// What the tests of both drivers share: a server a family, and connections to it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/database/connection.h"
#include "agent/database/factory.h"
#include "tests/agent/database/loop.h"
#include "tests/support/database_server.h"

namespace sysfleet {

inline std::ostream& operator<<(std::ostream& stream, const Outcome& outcome) {
  return stream << "kind " << static_cast<int>(outcome.kind) << ", rows " << outcome.rows << ", "
                << outcome.code << ", " << outcome.message;
}

struct DriverUnderTest {
  DriverFamily family = DriverFamily::kPostgresql;
  StatementPath path = StatementPath::kDirectWherePossible;
};

class DriverTest : public testing::TestWithParam<DriverUnderTest> {
 protected:
  static bool IsPostgresql() { return GetParam().family == DriverFamily::kPostgresql; }

  /// One of two values, as the family has it.
  template <typename T>
  static T Either(T postgresql, T mysql) {
    return IsPostgresql() ? postgresql : mysql;
  }

  /// Started when first asked for, and shared by all tests.
  static const DatabaseServer& Server(ServerTls tls = ServerTls::kOff) {
    auto& server = Servers()[{GetParam().family, tls}];
    if (!server) {
      auto started =
          DatabaseServer::Start(Either(ServerFamily::kPostgresql, ServerFamily::kMariadb), tls);
      if (!started.ok()) {
        ADD_FAILURE() << started.status();
        std::abort();
      }
      server = *std::move(started);
    }
    return *server;
  }

  static ConnectionOptions Options(const DatabaseServer& server = Server()) {
    return {.node = server.endpoint(),
            .address = "127.0.0.1",
            .database = "sbtest",
            .user = "sbtest",
            .password = server.password(),
            .tls = Tls::kPrefer,
            .path = GetParam().path};
  }

  std::unique_ptr<Connection> Make(ConnectionOptions options = Options()) {
    return MakeConnection(GetParam().family, std::move(options), loop_);
  }

  std::unique_ptr<Connection> Connected(ConnectionOptions options = Options()) {
    auto connection = Make(std::move(options));
    const Outcome outcome = Await(loop_, connection->Connect());
    EXPECT_TRUE(outcome.ok()) << outcome;
    return connection;
  }

  Outcome Run(Connection& connection, std::string_view sql) {
    return Await(loop_, connection.Query(sql));
  }

  void MustRun(Connection& connection, std::string_view sql) {
    const Outcome outcome = Run(connection, sql);
    EXPECT_TRUE(outcome.ok()) << sql << ": " << outcome;
  }

  /// The first column of the first row.
  std::string Ask(Connection& connection, std::string_view sql) {
    const Outcome outcome = Run(connection, sql);
    std::vector<ResultRow> rows = connection.TakeRows();
    if (rows.empty() || rows[0].empty()) return fmt::format("no row: {}", outcome.message);
    return rows[0][0].value_or("NULL");
  }

  /// A table with nothing in it.
  void MakeTable(Connection& connection, const std::string& name, const std::string& columns) {
    MustRun(connection, "DROP TABLE IF EXISTS " + name);
    MustRun(connection, fmt::format("CREATE TABLE {} ({})", name, columns));
  }

  /// A placeholder, counted from 1.
  static std::string P(int number) { return IsPostgresql() ? fmt::format("${}", number) : "?"; }

  /// The number under which the server knows the session.
  std::string SessionId(Connection& connection) {
    return Ask(connection, Either("SELECT pg_backend_pid()", "SELECT connection_id()"));
  }

  void KillSession(Connection& administrator, const std::string& id) {
    MustRun(administrator,
            Either("SELECT pg_terminate_backend(" + id + ")", "KILL CONNECTION " + id));
  }

  Loop loop_;

 private:
  static std::map<std::pair<DriverFamily, ServerTls>, std::unique_ptr<DatabaseServer>>& Servers() {
    static std::map<std::pair<DriverFamily, ServerTls>, std::unique_ptr<DatabaseServer>> servers;
    return servers;
  }
};

inline std::string DriverName(const testing::TestParamInfo<DriverUnderTest>& driver) {
  const std::string family =
      driver.param.family == DriverFamily::kPostgresql ? "Postgresql" : "Mysql";
  return driver.param.path == StatementPath::kLibrary ? family + "Library" : family;
}

inline auto BothFamilies() {
  return testing::Values(DriverUnderTest{DriverFamily::kPostgresql},
                         DriverUnderTest{DriverFamily::kMysql});
}

/// Whatever executes statements works the same on both paths.
inline auto BothFamiliesAndPaths() {
  return testing::Values(DriverUnderTest{DriverFamily::kPostgresql},
                         DriverUnderTest{DriverFamily::kPostgresql, StatementPath::kLibrary},
                         DriverUnderTest{DriverFamily::kMysql},
                         DriverUnderTest{DriverFamily::kMysql, StatementPath::kLibrary});
}

}  // namespace sysfleet
