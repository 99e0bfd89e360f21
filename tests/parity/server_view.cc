#include "tests/parity/server_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "common/base/status.h"
#include "tests/support/subprocess.h"

namespace sysfleet {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLengthMax = 2'000;

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::string Output(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment = {}) {
  const auto output = RunProgram(arguments, {}, environment);
  EXPECT_TRUE(output.ok() && output->exit_code == 0) << arguments[0];
  return output.ok() ? output->out : "";
}

std::string WithoutTableNumber(const std::string& text) {
  static const std::regex kNumber("(sbtest|k_|sbtest_)([0-9]+)");
  return std::regex_replace(text, kNumber, "$1N");
}

/// Literals as N and S; a list of rows or of values as its first, so that its length is free.
std::string Normalised(const std::string& text) {
  static const std::regex kText("'[^']*'");
  static const std::regex kInteger("([(, =])-?[0-9]+\\b");
  static const std::regex kRows("(\\((?:[NS], ?)*[NS]\\))(,\\s?\\((?:[NS], ?)*[NS]\\))+");
  const std::string literals =
      std::regex_replace(std::regex_replace(WithoutTableNumber(text), kText, "S"), kInteger, "$1N");
  return std::regex_replace(literals, kRows, "$1, …");
}

int64_t FirstNumber(const std::string& text) {
  static const std::regex kNumber("[^0-9a-z]([0-9]+)");
  std::smatch match;
  return std::regex_search(text, match, kNumber) ? std::stoll(match[1]) : -1;
}

class WatchedPostgresql final : public WatchedServer {
 public:
  explicit WatchedPostgresql(std::unique_ptr<DatabaseServer> database)
      : WatchedServer(std::move(database)), log_(server().folder() / "server.log") {
    Ask("CREATE EXTENSION pg_stat_statements;");
  }

  void Begin() override {
    Ask("SELECT pg_stat_statements_reset();");
    begin_ = fs::file_size(log_);
  }

  Sight Take() override {
    Sight sight;
    const std::string answer =
        Ask(fmt::format("SELECT calls, rows, regexp_replace(left(query, {}), '\\s+', ' ', 'g') "
                        "FROM pg_stat_statements "
                        "WHERE query NOT LIKE '%pg_stat_statements%' "
                        "AND query NOT LIKE '%application\\_name%';",
                        kLengthMax));
    for (const std::string& line : Split(answer, '\n')) {
      const std::vector<std::string> fields = Split(line, '\t');
      if (fields.size() != 3) continue;
      // Constants have become parameters, numbered behind those that there are.
      const std::string text = std::regex_replace(fields[2], std::regex("\\$[0-9]+"), "0");
      Seen& seen = sight[Normalised(text)];
      seen.calls += std::stoll(fields[0]);
      seen.rows += std::stoll(fields[1]);
    }
    return sight;
  }

  std::vector<int64_t> Ids(const std::string& statement) override {
    std::vector<int64_t> ids;
    bool is_next = false;
    for (const std::string& line : LinesFrom(log_, begin_)) {
      if (line.find("execute ") != std::string::npos) {
        is_next = line.find(": " + statement) != std::string::npos;
      } else if (is_next && line.find("parameters: $1 = '") != std::string::npos) {
        ids.push_back(std::stoll(line.substr(line.find("$1 = '") + 6)));
        is_next = false;
      }
    }
    return ids;
  }

  std::string Schema() override {
    const DatabaseServer& database = server();
    const std::string dump = Output({"pg_dump", "--schema-only", "-h", database.endpoint().host,
                                     "-p", std::to_string(database.endpoint().port), "-U", "sbtest",
                                     "-n", "public", "-T", "sysfleet*", "sbtest"},
                                    {"PGPASSFILE=" + (database.folder() / "pgpass").string()});
    // Newer ones bear a key that differs each time.
    static const std::regex kRestriction("\\\\(un)?restrict .*");
    return std::regex_replace(dump, kRestriction, "");
  }

 private:
  const fs::path log_;
  size_t begin_ = 0;
};

class WatchedMariadb final : public WatchedServer {
 public:
  explicit WatchedMariadb(std::unique_ptr<DatabaseServer> database)
      : WatchedServer(std::move(database)), log_(server().folder() / "data" / "general.log") {}

  void Begin() override {
    rows_ = Rows();
    begin_ = fs::file_size(log_);
  }

  Sight Take() override {
    Sight sight;
    for (const auto& [name, count] : Rows()) {
      const int64_t rows = count - rows_[name];
      if (rows != 0) sight["rows " + name] = {.calls = 0, .rows = rows};
    }
    for (const std::string& statement : Statements()) ++sight[Normalised(statement)].calls;
    return sight;
  }

  std::vector<int64_t> Ids(const std::string& statement) override {
    std::vector<int64_t> ids;
    for (const std::string& executed : Statements()) {
      if (executed.starts_with(statement)) ids.push_back(FirstNumber(executed));
    }
    return ids;
  }

  std::string Schema() override {
    const DatabaseServer& database = server();
    std::vector<std::string> arguments = {
        "mariadb-dump",
        "--defaults-file=" + (database.folder() / "client.cnf").string(),
        "--port=" + std::to_string(database.endpoint().port),
        "--no-data",
        "--skip-comments",
        "sbtest"};
    for (const std::string& table :
         Split(Ask("SELECT table_name FROM information_schema.tables WHERE table_schema = 'sbtest' "
                   "AND table_name LIKE 'sbtest%' ORDER BY 1"),
               '\n')) {
      arguments.push_back(table);
    }
    return Output(arguments);
  }

 private:
  /// Also those that were prepared, with their values.
  std::vector<std::string> Statements() const {
    static const std::regex kEntry("^[0-9: \\t]*\\t *[0-9]+ ([A-Z][a-z ]*)\\t(.*)$");
    std::vector<std::string> statements;
    bool is_statement = false;
    for (const std::string& line : LinesFrom(log_, begin_)) {
      std::smatch match;
      if (!std::regex_match(line, match, kEntry)) {
        if (is_statement) statements.back() += " " + line;
        continue;
      }
      is_statement = match[1] == "Query" || match[1] == "Execute";
      if (is_statement) statements.push_back(match[2]);
    }
    std::erase_if(statements, [](const std::string& statement) {
      return statement.find("global_status") != std::string::npos;
    });
    static const std::regex kSpace("\\s+");
    for (std::string& statement : statements) {
      statement = std::regex_replace(statement, kSpace, " ");
    }
    return statements;
  }

  std::map<std::string, int64_t> Rows() const {
    std::map<std::string, int64_t> rows;
    for (const std::string& line :
         Split(Ask("SELECT variable_name, variable_value FROM information_schema.global_status "
                   "WHERE variable_name IN ('HANDLER_DELETE', 'HANDLER_UPDATE', 'ROWS_SENT')"),
               '\n')) {
      const std::vector<std::string> fields = Split(line, '\t');
      if (fields.size() == 2) rows[fields[0]] = std::stoll(fields[1]);
    }
    return rows;
  }

  const fs::path log_;
  size_t begin_ = 0;
  std::map<std::string, int64_t> rows_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<WatchedServer>> WatchedServer::Start(ServerFamily family) {
  const bool is_postgresql = family == ServerFamily::kPostgresql;
  auto server = DatabaseServer::Start(
      family, ServerTls::kOff,
      is_postgresql
          ? std::vector<std::string>{"shared_preload_libraries = 'pg_stat_statements'",
                                     "log_statement = all"}
          : std::vector<std::string>{"general_log = on", "general_log_file = general.log"});
  if (!server.ok()) return server.status();
  if (is_postgresql) return std::make_unique<WatchedPostgresql>(*std::move(server));
  return std::make_unique<WatchedMariadb>(*std::move(server));
}

std::string WatchedServer::Ask(const std::string& sql) const {
  const auto answer = server_->Run(sql);
  EXPECT_TRUE(answer.ok()) << sql << answer.status();
  return answer.ok() ? *answer : "";
}

std::vector<std::string> WatchedServer::LinesFrom(const fs::path& path, size_t begin) {
  std::ifstream file(path);
  file.seekg(static_cast<std::streamoff>(begin));
  std::vector<std::string> lines;
  // An INSERT of many rows is told by its beginning; a longer text is too much for std::regex.
  for (std::string line; std::getline(file, line);) lines.push_back(line.substr(0, kLengthMax));
  return lines;
}

}  // namespace sysfleet
