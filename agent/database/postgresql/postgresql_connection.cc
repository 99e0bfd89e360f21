#include "agent/database/postgresql/postgresql_connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "agent/database/message.h"
#include "agent/database/postgresql/connect_error.h"

namespace sysfleet {
namespace {

using Result = std::unique_ptr<PGresult, decltype([](PGresult* result) { PQclear(result); })>;

// So many statements are prepared in one round trip.
constexpr size_t kPrepareBatch = 100;
constexpr int kBinaryResult = 1;
constexpr size_t kCopyTurnBytes = 1 << 20;

const char* SslMode(Tls tls) {
  switch (tls) {
    case Tls::kDisable:
      return "disable";
    case Tls::kPrefer:
      return "prefer";
    case Tls::kRequire:
      return "require";
  }
  return "";
}

// The name of a prepared statement: "s" and its place.
class StatementName {
 public:
  explicit StatementName(size_t place)
      : end_(std::to_chars(text_ + 1, text_ + sizeof text_ - 1, place).ptr) {
    *end_ = '\0';
  }
  const char* c_str() const { return text_; }
  std::string_view view() const { return {text_, static_cast<size_t>(end_ - text_)}; }

 private:
  char text_[24] = "s";
  char* end_;
};

std::string_view ErrorField(const pg_result* result, int field) {
  const char* text = result != nullptr ? PQresultErrorField(result, field) : nullptr;
  return text != nullptr ? text : "";
}

bool IsFatal(const pg_result* error) {
  const std::string_view severity = ErrorField(error, PG_DIAG_SEVERITY_NONLOCALIZED);
  return severity == "FATAL" || severity == "PANIC";
}

}  // namespace

PostgresqlConnection::PostgresqlConnection(ConnectionOptions options, Poller& poller)
    : Connection(poller), options_(std::move(options)) {}

PostgresqlConnection::~PostgresqlConnection() {
  PostgresqlConnection::Disconnect();
}

void PostgresqlConnection::Disconnect() {
  Unwatch();
  operation_ = Operation::kNone;
  copying_ = false;
  if (pg_conn* connection = std::exchange(connection_, nullptr)) PQfinish(connection);
}

bool PostgresqlConnection::InTransaction() const {
  return connection_ != nullptr && in_transaction_;
}

bool PostgresqlConnection::StartOperation(Operation operation) {
  if (connection_ == nullptr) {
    // What ended it while nobody waited is told to the first who asks.
    if (error_code_.empty()) {
      error_code_ = "lost";
      error_message_ = "the connection is closed";
    }
    Fail(OutcomeKind::kLost, error_code_, error_message_);
    return false;
  }
  operation_ = operation;
  progress_ = {};
  return true;
}

void PostgresqlConnection::FinishOperation() {
  if (PQstatus(connection_) != CONNECTION_OK) return Lose();
  operation_ = Operation::kNone;
  const PGTransactionStatusType status = PQtransactionStatus(connection_);
  in_transaction_ = status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
  if (!progress_.failed) return Complete(progress_.kind, progress_.rows);
  // What is noted while idle is of the connection.
  const std::string code = std::exchange(error_code_, {});
  Fail(OutcomeKind::kError, code, error_message_, progress_.rows);
}

void PostgresqlConnection::Lose() {
  if (error_code_.empty()) NoteError(nullptr);
  Disconnect();
  Fail(OutcomeKind::kLost, error_code_, error_message_);
}

void PostgresqlConnection::NoteError(const pg_result* result) {
  error_code_ = ErrorField(result, PG_DIAG_SQLSTATE);
  if (error_code_.empty()) error_code_ = "lost";
  error_message_ = OneLine(ErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
  if (error_message_.empty()) error_message_ = OneLine(PQerrorMessage(connection_));
  if (error_message_.empty()) error_message_ = "the server closed the connection";
}

// A server that ends an idle connection says why, which libpq takes for a notice.
void PostgresqlConnection::ReceiveNotice(void* connection, const pg_result* notice) {
  if (IsFatal(notice)) static_cast<PostgresqlConnection*>(connection)->NoteError(notice);
}

void PostgresqlConnection::WatchFor(Interest interest) {
  const int fd = PQsocket(connection_);
  if (fd < 0 || (fd == watched_fd_ && interest == watched_)) return;
  poller_.Watch(fd, interest, *this);
  watched_fd_ = fd;
  watched_ = interest;
}

void PostgresqlConnection::Unwatch() {
  if (watched_fd_ >= 0) poller_.Unwatch(std::exchange(watched_fd_, -1));
}

// An error of sending is not told here: the server's reason may still be there to be read, and
// reading tells of a dead connection anyway.
void PostgresqlConnection::Flush() {
  WatchFor({.read = true, .write = PQflush(connection_) == 1});
}

void PostgresqlConnection::AfterSend(bool sent) {
  if (!sent) return Lose();
  Flush();
}

void PostgresqlConnection::OnReady(Interest ready) {
  if (operation_ == Operation::kConnect) return PollConnect();
  if (operation_ == Operation::kExecuteDirectly) return ReadDirectly(ready);
  if (operation_ == Operation::kNone) return ConsumeWhileIdle();
  const bool alive = !ready.read || PQconsumeInput(connection_) == 1;
  if (copying_ && alive) {
    PumpCopy();
    if (copying_) return;
  } else if (watched_.write) {
    Flush();
  }
  if (operation_ == Operation::kPrepare) return ReadPrepareResults(alive);
  ReadResults(alive);
}

// Nothing is expected: it is a notice, a changed setting, or the end of the connection.
void PostgresqlConnection::ConsumeWhileIdle() {
  const bool alive = PQconsumeInput(connection_) == 1;
  PQisBusy(connection_);  // takes in the messages that have come
  if (alive && PQstatus(connection_) == CONNECTION_OK) return;
  if (error_code_.empty()) NoteError(nullptr);
  Disconnect();
}

void PostgresqlConnection::BeginConnect() {
  const std::string port = std::to_string(options_.node.port);
  const char* const names[] = {
      "host",     "hostaddr", "port",       "dbname",           "user",
      "password", "sslmode",  "gssencmode", "application_name", "client_encoding",
      nullptr};
  const char* const values[] = {options_.node.host.c_str(),
                                options_.address.c_str(),
                                port.c_str(),
                                options_.database.c_str(),
                                options_.user.c_str(),
                                options_.password.c_str(),
                                SslMode(options_.tls),
                                "disable",  // asking for Kerberos costs a round trip
                                options_.application_name.c_str(),
                                "UTF8",
                                nullptr};
  operation_ = Operation::kConnect;
  connection_ = PQconnectStartParams(names, values, /*expand_dbname=*/0);
  PQsetErrorVerbosity(connection_, PQERRORS_VERBOSE);
  PQsetNoticeReceiver(connection_, &ReceiveNotice, this);
  if (PQstatus(connection_) == CONNECTION_BAD) return Lose();
  WatchFor({.write = true});
}

void PostgresqlConnection::PollConnect() {
  // libpq may close the socket and open another one of the same number.
  Unwatch();
  switch (PQconnectPoll(connection_)) {
    case PGRES_POLLING_READING:
      return WatchFor({.read = true});
    case PGRES_POLLING_WRITING:
      return WatchFor({.write = true});
    case PGRES_POLLING_OK:
      break;
    default:
      ConnectError error = ParseConnectError(PQerrorMessage(connection_));
      error_code_ = std::move(error.code);
      error_message_ = std::move(error.message);
      return Lose();
  }
  PQsetnonblocking(connection_, 1);
  const char* version = PQparameterStatus(connection_, "server_version");
  const std::string_view full = version != nullptr ? version : "";
  server_version_ = fmt::format("PostgreSQL {}", full.substr(0, full.find(' ')));
  progress_ = {};
  WatchFor({.read = true});
  FinishOperation();
}

void PostgresqlConnection::BeginPrepare(std::span<const StatementSpec> statements) {
  if (!StartOperation(Operation::kPrepare)) return;
  forgetting_ = !statements_.empty();
  statements_ = statements;
  statements_sent_ = statements_done_ = 0;
  if (statements.empty() && !forgetting_) {
    TakeDirectPathIfPossible();
    return FinishOperation();
  }
  size_t longest = 0;
  for (const StatementSpec& statement : statements) {
    longest = std::max(longest, statement.parameters.size());
  }
  parameters_.Reserve(longest);
  if (PQenterPipelineMode(connection_) != 1) return Lose();
  if (forgetting_ && PQsendQueryParams(connection_, "DEALLOCATE ALL", 0, nullptr, nullptr, nullptr,
                                       nullptr, 0) != 1) {
    return Lose();
  }
  SendPrepareBatch();
}

void PostgresqlConnection::SendPrepareBatch() {
  const size_t end = std::min(statements_sent_ + kPrepareBatch, statements_.size());
  std::vector<Oid> types;
  bool sent = true;
  for (; sent && statements_sent_ < end; ++statements_sent_) {
    const StatementSpec& statement = statements_[statements_sent_];
    types.clear();
    for (ParameterType type : statement.parameters) types.push_back(ServerType(type));
    sent = PQsendPrepare(connection_, StatementName(statements_sent_).c_str(),
                         statement.sql.c_str(), static_cast<int>(types.size()), types.data()) == 1;
  }
  AfterSend(sent && PQpipelineSync(connection_) == 1);
}

// A statement's result and a null after each, and a synchronisation point at the batch's end.
void PostgresqlConnection::ReadPrepareResults(bool alive) {
  while (!alive || PQisBusy(connection_) == 0) {
    const Result result(PQgetResult(connection_));
    switch (PQresultStatus(result.get())) {
      case PGRES_COMMAND_OK:
        if (!std::exchange(forgetting_, false)) ++statements_done_;
        break;
      case PGRES_PIPELINE_ABORTED:
        break;
      case PGRES_PIPELINE_SYNC:
        if (!progress_.failed && statements_sent_ < statements_.size()) {
          SendPrepareBatch();
          return;
        }
        PQexitPipelineMode(connection_);
        TakeDirectPathIfPossible();
        progress_.rows = progress_.failed ? static_cast<int64_t>(statements_done_) : 0;
        return FinishOperation();
      default:
        if (!result && alive) break;
        if (!result || !TakeResult(result.get())) return Lose();
    }
  }
}

void PostgresqlConnection::TakeDirectPathIfPossible() {
  direct_ = options_.path == StatementPath::kDirectWherePossible && PQsslInUse(connection_) == 0 &&
            PQgssEncInUse(connection_) == 0;
  if (direct_) AskForArrivalTimes(watched_fd_);
}

void PostgresqlConnection::BeginExecute(size_t statement, std::span<const Value> values) {
  if (!StartOperation(direct_ ? Operation::kExecuteDirectly : Operation::kExecute)) return;
  if (direct_) {
    std::string& message = ScratchMessage();
    AppendPostgresqlExecute(StatementName(statement).view(), statements_[statement].parameters,
                            values, message);
    return SendDirectly(message);
  }
  const std::vector<ParameterType>& types = statements_[statement].parameters;
  parameters_.Encode(types, values);
  AfterSend(PQsendQueryPrepared(connection_, StatementName(statement).c_str(),
                                static_cast<int>(types.size()), parameters_.values(),
                                parameters_.lengths(), parameters_.formats(), kBinaryResult) == 1);
}

void PostgresqlConnection::BeginExecuteText(std::string_view sql) {
  if (!StartOperation(direct_ ? Operation::kExecuteDirectly : Operation::kExecute)) return;
  if (direct_) {
    std::string& message = ScratchMessage();
    AppendPostgresqlQuery(sql, message);
    return SendDirectly(message);
  }
  AfterSend(PQsendQuery(connection_, std::string(sql).c_str()) == 1);
}

void PostgresqlConnection::SendDirectly(std::string_view message) {
  reader_.Begin();
  // As in Flush, a socket that is broken is met by reading.
  unsent_.Send(watched_fd_, message);
  if (!unsent_.empty()) WatchFor({.read = true, .write = true});
}

void PostgresqlConnection::ReadDirectly(Interest ready) {
  if (watched_.write) {
    unsent_.Flush(watched_fd_);
    WatchFor({.read = true, .write = !unsent_.empty()});
  }
  if (!ready.read) return;
  const std::optional<Received> received = ReceiveSome(watched_fd_);
  if (!received) {
    error_code_ = "lost";
    error_message_ = "the server closed the connection";
    return Lose();
  }
  switch (reader_.Read(received->bytes)) {
    case ReplyState::kPartial:
      return;
    case ReplyState::kWhole:
      return FinishDirectly(received->arrival_ns);
    case ReplyState::kBroken:
      error_code_ = reader_.reply().error_code;
      error_message_ = reader_.reply().error_message;
      return Lose();
  }
}

void PostgresqlConnection::FinishDirectly(int64_t arrival_ns) {
  const WireReply& reply = reader_.reply();
  operation_ = Operation::kNone;
  in_transaction_ = reader_.in_transaction();
  if (reply.kind != OutcomeKind::kError) {
    return Complete(reply.kind, reply.rows, arrival_ns);
  }
  if (!reply.fatal) return Fail(OutcomeKind::kError, reply.error_code, reply.error_message);
  error_code_ = reply.error_code;
  error_message_ = reply.error_message;
  Lose();
}

void PostgresqlConnection::BeginQuery(std::string_view sql) {
  if (!StartOperation(Operation::kQuery)) return;
  rows_.clear();
  AfterSend(PQsendQuery(connection_, std::string(sql).c_str()) == 1);
}

void PostgresqlConnection::BeginCopy(std::string_view sql, CopySource& source) {
  if (!StartOperation(Operation::kCopy)) return;
  copy_source_ = &source;
  AfterSend(PQsendQuery(connection_, std::string(sql).c_str()) == 1);
}

void PostgresqlConnection::ReadResults(bool alive) {
  // On a dead connection PQgetResult gives what has come and does not wait for more.
  while (!alive || PQisBusy(connection_) == 0) {
    const Result result(PQgetResult(connection_));
    if (!result) return FinishOperation();
    const bool asks_for_data = PQresultStatus(result.get()) == PGRES_COPY_IN;
    if (asks_for_data && alive && operation_ == Operation::kCopy) {
      copying_ = true;
      PumpCopy();
      if (copying_) return;
      continue;
    }
    if (!TakeResult(result.get())) return Lose();
  }
}

bool PostgresqlConnection::TakeResult(const pg_result* result) {
  switch (PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
      progress_.kind = OutcomeKind::kRows;
      progress_.rows = PQntuples(result);
      if (operation_ == Operation::kQuery) KeepRows(result);
      return true;
    case PGRES_COMMAND_OK:
      // libpq forgot the const.
      progress_.rows = std::atoll(PQcmdTuples(const_cast<PGresult*>(result)));
      progress_.kind = progress_.rows > 0 ? OutcomeKind::kChanged : OutcomeKind::kNothing;
      return true;
    case PGRES_EMPTY_QUERY:
      return true;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
    case PGRES_COPY_BOTH:
      error_code_ = "lost";
      error_message_ = "the statement copies data, which only loading does";
      return false;
    default:
      if (!progress_.failed) NoteError(result);
      progress_.failed = true;
      return !IsFatal(result);
  }
}

void PostgresqlConnection::KeepRows(const pg_result* result) {
  const int columns = PQnfields(result);
  for (int row = 0; row < PQntuples(result); ++row) {
    ResultRow& kept = rows_.emplace_back();
    for (int column = 0; column < columns; ++column) {
      if (PQgetisnull(result, row, column) == 1) {
        kept.emplace_back();
      } else {
        kept.emplace_back(std::in_place, PQgetvalue(result, row, column),
                          static_cast<size_t>(PQgetlength(result, row, column)));
      }
    }
  }
}

// Gives libpq no more than the socket takes, for it would buffer all of the source, and leaves the
// reactor to others now and then. An error in mid-way is told only after the end, which the server
// waits for.
void PostgresqlConnection::PumpCopy() {
  for (size_t given = 0; copying_ && given < kCopyTurnBytes && PQflush(connection_) == 0;) {
    const std::string_view piece = copy_source_->Next();
    given += piece.size();
    const int taken =
        piece.empty() ? PQputCopyEnd(connection_, nullptr)
                      : PQputCopyData(connection_, piece.data(), static_cast<int>(piece.size()));
    copying_ = !piece.empty() && taken == 1;
  }
  if (!copying_) return Flush();
  WatchFor({.read = true, .write = true});
}

}  // namespace sysfleet
