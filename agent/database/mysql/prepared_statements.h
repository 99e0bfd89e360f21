// The prepared statements of one connection, with as few of the client library's handles as can be.
//
// A handle (MYSQL_STMT) takes about 10 kB, and a workload prepares each of its statements for every
// table: 300 statements on a thousand connections would be 3 GB. Statements with the same
// parameters and as many columns, which differ by the table's name only, share one handle here:
// before it is executed it is given the number under which the server knows the statement.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "agent/database/connection.h"
#include "agent/database/value.h"

// The client library's MYSQL and MYSQL_STMT.
struct st_mysql;
struct st_mysql_stmt;

namespace sysfleet {

class PreparedStatements {
 public:
  PreparedStatements() = default;
  PreparedStatements(const PreparedStatements&) = delete;
  PreparedStatements& operator=(const PreparedStatements&) = delete;
  ~PreparedStatements();

  /// A handle to prepare the next statement on. nullptr where memory is short.
  st_mysql_stmt* Scratch(st_mysql* connection);

  /// Adds the statement that was prepared on the scratch handle. False where `spec` does not name
  /// as many parameters as it has placeholders.
  bool Add(const StatementSpec& spec);

  /// Adds one that is executed as text, for the server does not prepare its kind.
  void AddText(const StatementSpec& spec) { statements_.push_back({.spec = &spec}); }

  /// The scratch handle, for the caller to close; nullptr for none. The server keeps what was
  /// prepared on it.
  st_mysql_stmt* TakeScratch();

  /// Takes the last statement out: a handle whose closing has the server drop it. nullptr where
  /// there is nothing to close.
  st_mysql_stmt* TakeLast(st_mysql* connection);

  size_t size() const { return statements_.size(); }

  /// The handle of a statement with its values bound; nullptr for one that is executed as text.
  /// Texts are pointed at, not copied: they must live until its execution has begun.
  st_mysql_stmt* Bind(size_t statement, std::span<const Value> values);

  /// As the server knows it.
  struct Numbered {
    uint32_t id = 0;
    bool types_sent = false;
    std::span<const ParameterType> types;
  };
  /// Nothing for a statement that is executed as text.
  std::optional<Numbered> Find(size_t statement) const {
    const Statement& found = statements_[statement];
    if (found.shape == nullptr) return std::nullopt;
    return Numbered{found.server_id, found.types_sent, found.spec->parameters};
  }

  /// The server knows the types of the parameters from now on.
  void SetTypesSent(size_t statement) { statements_[statement].types_sent = true; }

  const std::string& Sql(size_t statement) const { return statements_[statement].spec->sql; }

 private:
  struct Shape {
    st_mysql_stmt* handle = nullptr;
    // Of the first statement of the shape.
    const StatementSpec* spec = nullptr;
    // The buffers that the handle's parameters are bound to.
    std::vector<int64_t> integers;
    std::vector<unsigned long> lengths;
  };

  struct Statement {
    const StatementSpec* spec = nullptr;
    Shape* shape = nullptr;
    uint32_t server_id = 0;
    bool types_sent = false;
  };

  Shape* FindShape(const StatementSpec& spec, unsigned columns);
  void AddShape(const StatementSpec& spec);

  st_mysql_stmt* scratch_ = nullptr;
  std::vector<std::unique_ptr<Shape>> shapes_;
  std::vector<Statement> statements_;
};

}  // namespace sysfleet
