// A connection to the PostgreSQL family over libpq, non-blocking.
//
// Statements are prepared in pipeline mode, a batch a round trip, and executed with binary
// parameters and results. One level-triggered watch for reading stays over all statements; writing
// is watched only while the socket takes no more. Executing allocates nothing of ours.
//
// Without encryption, prepared statements take a direct path: our own messages on libpq's socket.
// Both work on the same connection in turn, for each leaves it between two statements.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "agent/database/connection.h"
#include "agent/database/postgresql/parameters.h"
#include "agent/database/postgresql/wire.h"
#include "agent/database/socket_io.h"

// libpq's PGconn and PGresult.
struct pg_conn;
struct pg_result;

namespace sysfleet {

class PostgresqlConnection final : public Connection {
 public:
  PostgresqlConnection(ConnectionOptions options, Poller& poller);
  ~PostgresqlConnection() override;

  void OnReady(Interest ready) override;
  bool InTransaction() const override;
  std::string ServerVersion() const override { return server_version_; }

 protected:
  void BeginConnect() override;
  void BeginPrepare(std::span<const StatementSpec> statements) override;
  void BeginExecute(size_t statement, std::span<const Value> values) override;
  void BeginExecuteText(std::string_view sql) override;
  void BeginQuery(std::string_view sql) override;
  void BeginCopy(std::string_view sql, CopySource& source) override;
  void Disconnect() override;

 private:
  enum class Operation : uint8_t {
    kNone,
    kConnect,
    kPrepare,
    kExecute,
    kExecuteDirectly,
    kQuery,
    kCopy
  };

  // What the operation's results have told so far.
  struct Progress {
    OutcomeKind kind = OutcomeKind::kNothing;
    int64_t rows = 0;
    bool failed = false;
  };

  /// False where the connection is closed: the operation has then failed already.
  bool StartOperation(Operation operation);
  void FinishOperation();
  /// Closes, and ends the operation with the error noted or, without one, libpq's.
  void Lose();

  void PollConnect();
  void ConsumeWhileIdle();
  void AfterSend(bool sent);
  void Flush();
  void WatchFor(Interest interest);
  void Unwatch();

  void SendPrepareBatch();
  void ReadPrepareResults(bool alive);
  void ReadResults(bool alive);
  /// False where the result ends the connection.
  bool TakeResult(const pg_result* result);
  void KeepRows(const pg_result* result);
  void PumpCopy();

  void TakeDirectPathIfPossible();
  void SendDirectly(std::string_view message);
  void ReadDirectly(Interest ready);
  void FinishDirectly(int64_t arrival_ns);

  void NoteError(const pg_result* result);
  static void ReceiveNotice(void* connection, const pg_result* notice);

  const ConnectionOptions options_;
  pg_conn* connection_ = nullptr;
  std::string server_version_;
  Operation operation_ = Operation::kNone;
  Progress progress_;
  // Of the operation's first error, or of what ended the connection while it was idle.
  std::string error_code_;
  std::string error_message_;
  int watched_fd_ = -1;
  Interest watched_;

  std::span<const StatementSpec> statements_;
  bool forgetting_ = false;  // what was prepared before
  size_t statements_sent_ = 0;
  size_t statements_done_ = 0;
  Parameters parameters_;
  bool direct_ = false;
  SendBuffer unsent_;
  PostgresqlReplyReader reader_;
  bool in_transaction_ = false;
  CopySource* copy_source_ = nullptr;
  // The server has asked for the data.
  bool copying_ = false;
};

}  // namespace sysfleet
