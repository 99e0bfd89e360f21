// floor: what no client can go below. The client library connects and prepares; then messages that
// were encoded once are sent on its sockets from one epoll loop, and of a reply only the length is
// looked at. So it needs a server that answers a statement the same way every time: the null
// server.
#include <fmt/format.h>
#include <libpq-fe.h>
#include <mysql.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "agent/database/mysql/wire.h"
#include "agent/database/postgresql/wire.h"
#include "common/base/clock.h"

namespace sysfleet {
namespace {

struct Flags {
  std::string family = "postgresql";
  std::string workload = "oltp_point_select";
  uint16_t port = 0;
  int connections = 1;
  int seconds = 10;
};

[[noreturn]] void Die(std::string_view what) {
  fmt::print(stderr, "floor: {}\n", what);
  std::exit(4);
}

struct Statement {
  std::string sql;  // PostgreSQL's
  std::vector<ParameterType> types;
  std::vector<Value> values;
};

std::vector<Statement> StatementsOf(std::string_view workload) {
  constexpr auto kInt32 = ParameterType::kInt32;
  constexpr auto kText = ParameterType::kText;
  static const std::string c(119, '5');
  static const std::string pad(59, '5');
  const Value id = {.integer = 50'000};
  const Statement point = {"SELECT c FROM sbtest1 WHERE id=$1", {kInt32}, {id}};
  if (workload == "oltp_point_select") return {point};
  if (workload != "oltp_read_write") Die("--workload is oltp_point_select or oltp_read_write");
  std::vector<Statement> statements = {{"BEGIN", {}, {}}};
  statements.insert(statements.end(), 10, point);
  for (const char* sql : {"SELECT c FROM sbtest1 WHERE id BETWEEN $1 AND $2",
                          "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN $1 AND $2",
                          "SELECT c FROM sbtest1 WHERE id BETWEEN $1 AND $2 ORDER BY c",
                          "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN $1 AND $2 ORDER BY c"}) {
    statements.push_back({sql, {kInt32, kInt32}, {id, {.integer = 50'099}}});
  }
  statements.push_back({"UPDATE sbtest1 SET k=k+1 WHERE id=$1", {kInt32}, {id}});
  statements.push_back({"UPDATE sbtest1 SET c=$1 WHERE id=$2", {kText, kInt32}, {{.text = c}, id}});
  statements.push_back({"DELETE FROM sbtest1 WHERE id=$1", {kInt32}, {id}});
  statements.push_back({"INSERT INTO sbtest1 (id, k, c, pad) VALUES ($1, $2, $3, $4)",
                        {kInt32, kInt32, kText, kText},
                        {id, id, {.text = c}, {.text = pad}}});
  statements.push_back({"COMMIT", {}, {}});
  return statements;
}

// What is sent, and how long the reply is.
struct Exchange {
  std::string message;
  size_t reply_bytes = 0;
};

struct FloorConnection {
  int fd = -1;
  size_t step = 0;
  size_t received = 0;
  std::vector<Exchange> exchanges;  // all connections have the same, but for statement numbers
};

std::vector<Exchange> PreparePostgresql(PGconn* connection,
                                        const std::vector<Statement>& statements) {
  std::vector<Exchange> exchanges(statements.size());
  for (size_t i = 0; i < statements.size(); ++i) {
    const std::string name = fmt::format("s{}", i);
    const Statement& statement = statements[i];
    PQclear(PQprepare(connection, name.c_str(), statement.sql.c_str(), 0, nullptr));
    AppendPostgresqlExecute(name, statement.types, statement.values, exchanges[i].message);
  }
  if (PQstatus(connection) != CONNECTION_OK) Die(PQerrorMessage(connection));
  return exchanges;
}

FloorConnection OpenPostgresql(const Flags& flags, const std::vector<Statement>& statements) {
  const std::string text =
      fmt::format("host=127.0.0.1 port={} user=sbtest dbname=sbtest sslmode=disable", flags.port);
  // Never closed: the end of the process does it.
  PGconn* connection = PQconnectdb(text.c_str());
  if (PQstatus(connection) != CONNECTION_OK) Die(PQerrorMessage(connection));
  return {.fd = PQsocket(connection), .exchanges = PreparePostgresql(connection, statements)};
}

FloorConnection OpenMysql(const Flags& flags, const std::vector<Statement>& statements) {
  MYSQL* mysql = mysql_init(nullptr);
  if (mysql_real_connect(mysql, "127.0.0.1", "sbtest", "", "sbtest", flags.port, nullptr, 0) ==
      nullptr) {
    Die(mysql_error(mysql));
  }
  FloorConnection connection = {.fd = static_cast<int>(mysql_get_socket(mysql))};
  for (const Statement& statement : statements) {
    std::string sql = statement.sql;
    for (size_t at = sql.find('$'); at != std::string::npos; at = sql.find('$')) {
      sql.replace(at, 2, "?");
    }
    MYSQL_STMT* handle = mysql_stmt_init(mysql);
    if (mysql_stmt_prepare(handle, sql.data(), sql.size()) != 0) Die(mysql_stmt_error(handle));
    AppendMysqlExecute(static_cast<uint32_t>(handle->stmt_id), statement.types, statement.values,
                       /*with_types=*/true, connection.exchanges.emplace_back().message);
  }
  return connection;
}

template <typename Reader>
void LearnReplies(FloorConnection& connection) {
  Reader reader;
  std::array<char, 1 << 16> buffer;
  for (Exchange& exchange : connection.exchanges) {
    if (send(connection.fd, exchange.message.data(), exchange.message.size(), 0) < 0) Die("send");
    reader.Begin();
    for (ReplyState state = ReplyState::kPartial; state != ReplyState::kWhole;) {
      const ssize_t got = recv(connection.fd, buffer.data(), buffer.size(), 0);
      // libpq's sockets do not block.
      if (got < 0 && errno == EAGAIN) continue;
      if (got <= 0) Die("the server has closed the connection");
      exchange.reply_bytes += static_cast<size_t>(got);
      state = reader.Read({buffer.data(), static_cast<size_t>(got)});
      if (state == ReplyState::kBroken) Die(reader.reply().error_message);
    }
  }
}

void SendNext(FloorConnection& connection) {
  const std::string& message = connection.exchanges[connection.step].message;
  const auto sent = send(connection.fd, message.data(), message.size(), MSG_DONTWAIT);
  if (sent != static_cast<ssize_t>(message.size())) Die("the socket did not take a message");
}

void Drive(std::vector<FloorConnection>& connections, int64_t end_ns) {
  const int epoll_fd = epoll_create1(0);
  for (size_t i = 0; i < connections.size(); ++i) {
    // Edges are enough: each reply is read whole before the next is asked for.
    epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u64 = i}};
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, connections[i].fd, &event);
    SendNext(connections[i]);
  }
  static std::array<char, 1 << 16> buffer;
  std::array<epoll_event, 256> events{};
  while (SteadyNanos() < end_ns) {
    const int count = epoll_wait(epoll_fd, events.data(), static_cast<int>(events.size()), 1000);
    for (int i = 0; i < count; ++i) {
      FloorConnection& connection = connections[events[static_cast<size_t>(i)].data.u64];
      const ssize_t got = recv(connection.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (got <= 0) Die("the server has closed the connection");
      connection.received += static_cast<size_t>(got);
      if (connection.received < connection.exchanges[connection.step].reply_bytes) continue;
      connection.received = 0;
      connection.step = (connection.step + 1) % connection.exchanges.size();
      SendNext(connection);
    }
  }
}

int Run(const Flags& flags) {
  const std::vector<Statement> statements = StatementsOf(flags.workload);
  const bool is_postgresql = flags.family == "postgresql";
  std::vector<FloorConnection> connections;
  for (int i = 0; i < flags.connections; ++i) {
    connections.push_back(is_postgresql ? OpenPostgresql(flags, statements)
                                        : OpenMysql(flags, statements));
    FloorConnection& connection = connections.back();
    is_postgresql ? LearnReplies<PostgresqlReplyReader>(connection)
                  : LearnReplies<MysqlReplyReader>(connection);
  }
  Drive(connections, SteadyNanos() + flags.seconds * kNanosPerSecond);
  return 0;
}

}  // namespace
}  // namespace sysfleet

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sysfleet::Flags flags;
  CLI::App app("floor: pre-encoded messages on raw sockets, for the null server");
  app.add_option("--family", flags.family)->check(CLI::IsMember({"postgresql", "mysql"}));
  app.add_option("--workload", flags.workload, "oltp_point_select or oltp_read_write");
  app.add_option("--port", flags.port, "Of the null server")->required();
  app.add_option("--connections", flags.connections)->check(CLI::Range(1, 10'000));
  app.add_option("--seconds", flags.seconds)->check(CLI::Range(1, 900));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return sysfleet::Run(flags);
}
