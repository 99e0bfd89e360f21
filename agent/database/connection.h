// One connection to a database node, driven by a reactor without ever blocking it.
//
// An operation is begun by a call and awaited: `const Outcome& outcome = co_await c.Execute(...)`.
// The awaiter is only a reference to the connection, which keeps the waiting coroutine and the
// outcome itself, so that executing a statement allocates nothing of ours. One operation at a time.
// All calls come from the reactor's thread.
//
// Errors are outcomes, not statuses: kError where the server refused a statement and the connection
// still works, kLost where it does not (then only Close and a new object help).
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/database/poller.h"
#include "agent/database/value.h"
#include "common/base/endpoint.h"

namespace sysfleet {

enum class OutcomeKind : uint8_t {
  kRows,     // a result set, possibly empty: sysbench's "read"
  kChanged,  // rows were changed: "write"
  kNothing,  // neither (BEGIN, DDL, an UPDATE that met no row): "other"
  kError,    // the server refused it; the connection is usable
  kLost,     // the connection is gone
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::kNothing;
  /// Rows returned or changed.
  int64_t rows = 0;
  /// When the end of the reply arrived, by the steady clock, as the kernel has seen it; 0 where
  /// only the caller's event loop knows.
  int64_t arrival_ns = 0;
  /// For kError and kLost: SQLSTATE (PostgreSQL) or error number (MySQL); "lost" where the server
  /// gave none. The message is the server's or the client library's, in one line, without secrets.
  std::string code;
  std::string message;

  bool ok() const { return kind < OutcomeKind::kError; }
};

/// A statement to prepare, in the server's own syntax. Parameters in the order of the placeholders.
struct StatementSpec {
  std::string sql;
  std::vector<ParameterType> parameters;
};

using ResultRow = std::vector<std::optional<std::string>>;

/// Where bulk loading takes its bytes from.
class CopySource {
 public:
  virtual ~CopySource() = default;

  /// The next piece, valid until the next call; empty at the end.
  virtual std::string_view Next() = 0;
};

enum class Tls : uint8_t { kDisable, kPrefer, kRequire };

/// How statements are executed: past the client library where that can be (no TLS, no
/// compression), which costs less, or always by the library. The server sees the same bytes.
enum class StatementPath : uint8_t { kDirectWherePossible, kLibrary };

struct ConnectionOptions {
  /// As the user named it, for messages and certificates, and its resolved numeric address.
  Endpoint node;
  std::string address;
  std::string database;
  std::string user;
  std::string password;
  Tls tls = Tls::kPrefer;
  StatementPath path = StatementPath::kDirectWherePossible;
  /// Shown in the server's list of connections, where it has one for this.
  std::string application_name = "sysfleet";
};

class Connection : public Pollable {
 public:
  /// Awaits the end of the operation that was begun.
  class [[nodiscard]] Completion {
   public:
    explicit Completion(Connection& connection) : connection_(connection) {}
    bool await_ready() const noexcept { return !connection_.busy_; }
    void await_suspend(std::coroutine_handle<> waiter) noexcept { connection_.waiter_ = waiter; }
    const Outcome& await_resume() const noexcept { return connection_.outcome_; }

   private:
    Connection& connection_;
  };

  ~Connection() override = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Opens the socket, authenticates, shakes hands for TLS. The caller sets the time limit: it
  /// calls Close, which ends any operation with kLost.
  Completion Connect() {
    return Begin([this] { BeginConnect(); });
  }

  /// Prepares all of `statements`, in place of those that were prepared before; Execute names them
  /// by place. They must live as long as Execute is called. Ends at the first that the server
  /// refuses: outcome.rows is then its place.
  Completion Prepare(std::span<const StatementSpec> statements) {
    return Begin([&] { BeginPrepare(statements); });
  }

  /// Executes a prepared statement. The values may go once this call has returned.
  Completion Execute(size_t statement, std::span<const Value> values) {
    return Begin([&] { BeginExecute(statement, values); });
  }

  /// Executes SQL text (one statement) without keeping its rows: what Execute is for a statement
  /// that is not prepared. `sql` must live until the end of the operation.
  Completion ExecuteText(std::string_view sql) {
    return Begin([&] { BeginExecuteText(sql); });
  }

  /// Executes SQL text (one statement). Rows are kept for TakeRows.
  Completion Query(std::string_view sql) {
    return Begin([&] { BeginQuery(sql); });
  }

  /// Executes `sql`, which asks for data (COPY … FROM STDIN, LOAD DATA LOCAL INFILE), and feeds it
  /// from `source` as the socket takes it. `source` must live until the end of the operation.
  Completion Copy(std::string_view sql, CopySource& source) {
    return Begin([&] { BeginCopy(sql, source); });
  }

  /// The rows of the last Query, NULL as nullopt.
  std::vector<ResultRow> TakeRows() { return std::move(rows_); }

  /// Between BEGIN and COMMIT or ROLLBACK, as far as the server told.
  virtual bool InTransaction() const = 0;

  /// "PostgreSQL 15.18", "10.11.14-MariaDB"; empty before Connect.
  virtual std::string ServerVersion() const = 0;

  /// Closes at once. An operation under way ends with kLost and `reason`.
  void Close(std::string_view reason);

  bool busy() const { return busy_; }

  /// Of the operation that ended last.
  const Outcome& last_outcome() const { return outcome_; }

 protected:
  explicit Connection(Poller& poller) : poller_(poller) {}

  // Each begins an operation, and ends it by Complete or Fail, at once or from OnReady.
  virtual void BeginConnect() = 0;
  virtual void BeginPrepare(std::span<const StatementSpec> statements) = 0;
  virtual void BeginExecute(size_t statement, std::span<const Value> values) = 0;
  virtual void BeginExecuteText(std::string_view sql) = 0;
  virtual void BeginQuery(std::string_view sql) = 0;
  virtual void BeginCopy(std::string_view sql, CopySource& source) = 0;
  /// Releases the client library's object and the socket.
  virtual void Disconnect() = 0;

  /// Ends the operation and resumes who waits for it. The connection may be gone afterwards: the
  /// caller returns at once.
  void Complete(OutcomeKind kind, int64_t rows, int64_t arrival_ns = 0);
  void Fail(OutcomeKind kind, std::string_view code, std::string_view message, int64_t rows = 0);

  Poller& poller_;
  std::vector<ResultRow> rows_;

 private:
  template <typename Start>
  Completion Begin(Start start) {
    busy_ = true;
    start();
    return Completion(*this);
  }
  void Resume();

  bool busy_ = false;
  std::coroutine_handle<> waiter_;
  Outcome outcome_;
};

}  // namespace sysfleet
