// A connection to the MySQL family over MariaDB Connector/C's non-blocking calls.
//
// Each of the library's calls runs on a small stack of its own and is suspended where the socket
// would block; an operation is a chain of such calls. A suspended call is always carried to its end
// before the connection is closed, for it owns memory.
//
// Without TLS, prepared statements take a direct path: our own messages on the library's socket.
// Both work on the same connection in turn, for each leaves it between two statements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agent/database/connection.h"
#include "agent/database/mysql/prepared_statements.h"
#include "agent/database/mysql/wire.h"
#include "agent/database/socket_io.h"

// The client library's MYSQL, MYSQL_STMT and MYSQL_RES.
struct st_mysql;
struct st_mysql_stmt;
struct st_mysql_res;

namespace sysfleet {

class MysqlConnection final : public Connection {
 public:
  MysqlConnection(ConnectionOptions options, Poller& poller);
  ~MysqlConnection() override;

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
  // The library's call that is under way.
  enum class Call : uint8_t {
    kNone,
    kConnect,
    kPrepare,
    kCloseScratch,
    kCloseStatement,
    kExecute,
    kStoreRows,
    kNextResult,
    kQuery,
    kStoreQueryRows,
    kNextQueryResult,
    kExecuteDirectly,  // no call of the library's
  };

  // What a call is to wait for (a set of MYSQL_WAIT_…, 0 when it has ended), or nothing where the
  // operation has ended. Then the connection may be gone, too.
  using Wait = std::optional<int>;

  void Run(Wait wait);
  int Continue(int ready);
  Wait Advance();

  Wait AfterConnect();
  Wait CloseNext();
  Wait PrepareNext();
  Wait AfterPrepare();
  Wait AfterExecute();
  Wait AfterStoreRows();
  Wait AfterQuery();
  Wait AfterStoreQueryRows();
  Wait StartQuery(std::string_view sql);
  Wait FinishResult(bool has_rows, int64_t rows);

  void ExecuteDirectly(const PreparedStatements::Numbered& statement,
                       std::span<const Value> values);
  void SendDirectly(std::string_view message, MysqlReplyReader::Rows rows);
  void ReadDirectly(Interest ready);
  void FinishDirectly(int64_t arrival_ns);

  bool IsOpen();
  void End(OutcomeKind kind, int64_t rows, int64_t arrival_ns = 0);
  void FailConnection();
  void FailStatement(int64_t rows = 0);
  void FailWith(unsigned code, std::string_view message, int64_t rows);
  void KeepRows(st_mysql_res* result);
  void SetOptions();
  void WatchFor(int wait);
  void WatchFor(Interest interest);
  void Unwatch();
  static int ReadCopy(void* connection, char* buffer, unsigned size);

  const ConnectionOptions options_;
  st_mysql* mysql_ = nullptr;
  std::string server_version_;

  Call call_ = Call::kNone;
  int failed_ = 0;
  char failed_to_close_ = 0;
  st_mysql* connected_ = nullptr;
  st_mysql_res* result_ = nullptr;
  int watched_fd_ = -1;
  Interest watched_;

  std::unique_ptr<PreparedStatements> prepared_;
  std::span<const StatementSpec> statements_;
  std::optional<size_t> statement_;  // the prepared one that is executed
  st_mysql_stmt* handle_ = nullptr;
  std::string sql_;
  bool keeps_rows_ = false;
  OutcomeKind kind_ = OutcomeKind::kNothing;
  int64_t result_rows_ = 0;
  CopySource* copy_source_ = nullptr;
  std::string_view copy_rest_;

  bool direct_ = false;
  SendBuffer unsent_;
  MysqlReplyReader reader_;
};

}  // namespace sysfleet
