#include "agent/database/mysql/mysql_connection.h"

#include <errmsg.h>
#include <fmt/format.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "agent/database/message.h"

namespace sysfleet {
namespace {

// MySQL 8's word for a connection that was idle for too long.
constexpr unsigned kInteractionTimeout = 4031;

// Once a process, before any thread uses the library.
void InitializeLibrary() {
  [[maybe_unused]] static const int initialized = mysql_library_init(0, nullptr, nullptr);
}

// True where the connection cannot be used any more: the server has said so, or the library fails,
// which leaves it out of step with the server.
bool EndsConnection(unsigned code) {
  switch (code) {
    case ER_SERVER_SHUTDOWN:
    case ER_CONNECTION_KILLED:
    case kInteractionTimeout:
      return true;
    case CR_UNKNOWN_ERROR:  // data were asked for and refused; the server has been told
      return false;
    default:
      return (code > CR_MIN_ERROR && code <= CR_MAX_ERROR) ||
             (code >= CER_MIN_ERROR && code <= CER_MAX_ERROR);
  }
}

}  // namespace

MysqlConnection::MysqlConnection(ConnectionOptions options, Poller& poller)
    : Connection(poller), options_(std::move(options)) {
  InitializeLibrary();
}

MysqlConnection::~MysqlConnection() {
  MysqlConnection::Disconnect();
}

void MysqlConnection::Disconnect() {
  Unwatch();
  if (mysql_ == nullptr) return;
  copy_source_ = nullptr;
  if (call_ == Call::kExecuteDirectly) call_ = Call::kNone;
  if (call_ != Call::kNone) {
    // Nothing can be read or written any more, so that the call fails its way to the end.
    if (const int fd = mysql_get_socket(mysql_); fd >= 0) shutdown(fd, SHUT_RDWR);
    while (Continue(MYSQL_WAIT_TIMEOUT) != 0) {
    }
    if (result_ != nullptr) mysql_free_result(std::exchange(result_, nullptr));
    call_ = Call::kNone;
  }
  // In this order, statements are released without a word to the server.
  mysql_close(std::exchange(mysql_, nullptr));
  prepared_.reset();
}

bool MysqlConnection::InTransaction() const {
  unsigned status = 0;
  if (mysql_ != nullptr) mariadb_get_infov(mysql_, MARIADB_CONNECTION_SERVER_STATUS, &status);
  return (status & SERVER_STATUS_IN_TRANS) != 0;
}

void MysqlConnection::WatchFor(int wait) {
  WatchFor(Interest{.read = (wait & (MYSQL_WAIT_READ | MYSQL_WAIT_EXCEPT)) != 0,
                    .write = (wait & MYSQL_WAIT_WRITE) != 0});
}

void MysqlConnection::WatchFor(Interest interest) {
  const int fd = mysql_get_socket(mysql_);
  if (fd == watched_fd_ && interest == watched_) return;
  if (fd != watched_fd_) Unwatch();
  poller_.Watch(fd, interest, *this);
  watched_fd_ = fd;
  watched_ = interest;
}

void MysqlConnection::Unwatch() {
  if (watched_fd_ >= 0) poller_.Unwatch(std::exchange(watched_fd_, -1));
}

void MysqlConnection::OnReady(Interest ready) {
  // Nothing is expected, so it is the end of the connection. The next operation will meet it.
  if (call_ == Call::kNone) return Unwatch();
  if (call_ == Call::kExecuteDirectly) return ReadDirectly(ready);
  const int events = (ready.read ? MYSQL_WAIT_READ : 0) | (ready.write ? MYSQL_WAIT_WRITE : 0);
  Run(Continue(events));
}

void MysqlConnection::Run(Wait wait) {
  while (wait == 0) wait = Advance();
  if (wait.has_value()) WatchFor(*wait);
}

int MysqlConnection::Continue(int ready) {
  switch (call_) {
    case Call::kConnect:
      return mysql_real_connect_cont(&connected_, mysql_, ready);
    case Call::kPrepare:
      return mysql_stmt_prepare_cont(&failed_, handle_, ready);
    case Call::kCloseScratch:
    case Call::kCloseStatement:
      return mysql_stmt_close_cont(&failed_to_close_, handle_, ready);
    case Call::kExecute:
      return mysql_stmt_execute_cont(&failed_, handle_, ready);
    case Call::kStoreRows:
      return mysql_stmt_store_result_cont(&failed_, handle_, ready);
    case Call::kNextResult:
      return mysql_stmt_next_result_cont(&failed_, handle_, ready);
    case Call::kQuery:
      return mysql_real_query_cont(&failed_, mysql_, ready);
    case Call::kStoreQueryRows:
      return mysql_store_result_cont(&result_, mysql_, ready);
    case Call::kNextQueryResult:
      return mysql_next_result_cont(&failed_, mysql_, ready);
    case Call::kExecuteDirectly:
    case Call::kNone:
      break;
  }
  return 0;
}

MysqlConnection::Wait MysqlConnection::Advance() {
  switch (call_) {
    case Call::kConnect:
      return AfterConnect();
    case Call::kPrepare:
      return AfterPrepare();
    case Call::kCloseStatement:
      return CloseNext();
    case Call::kCloseScratch:
      End(OutcomeKind::kNothing, 0);
      return std::nullopt;
    case Call::kExecute:
    case Call::kNextResult:
      return AfterExecute();
    case Call::kStoreRows:
      return AfterStoreRows();
    case Call::kQuery:
    case Call::kNextQueryResult:
      return AfterQuery();
    case Call::kStoreQueryRows:
      return AfterStoreQueryRows();
    case Call::kExecuteDirectly:
    case Call::kNone:
      break;
  }
  return std::nullopt;
}

bool MysqlConnection::IsOpen() {
  if (mysql_ != nullptr) return true;
  Fail(OutcomeKind::kLost, "lost", "the connection is closed");
  return false;
}

void MysqlConnection::End(OutcomeKind kind, int64_t rows, int64_t arrival_ns) {
  call_ = Call::kNone;
  Complete(kind, rows, arrival_ns);
}

void MysqlConnection::FailConnection() {
  FailWith(mysql_errno(mysql_), mysql_error(mysql_), 0);
}

void MysqlConnection::FailStatement(int64_t rows) {
  FailWith(mysql_stmt_errno(handle_), mysql_stmt_error(handle_), rows);
}

void MysqlConnection::FailWith(unsigned code, std::string_view message, int64_t rows) {
  const bool lost = call_ == Call::kConnect || mysql_get_socket(mysql_) < 0 || EndsConnection(code);
  const std::string line = OneLine(message);
  call_ = Call::kNone;
  if (lost) Disconnect();
  Fail(lost ? OutcomeKind::kLost : OutcomeKind::kError, code == 0 ? "lost" : std::to_string(code),
       line, rows);
}

void MysqlConnection::SetOptions() {
  mysql_options(mysql_, MYSQL_OPT_NONBLOCK, nullptr);
  const unsigned tcp = MYSQL_PROTOCOL_TCP;
  mysql_options(mysql_, MYSQL_OPT_PROTOCOL, &tcp);
  mysql_options(mysql_, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  const unsigned allowed = 1;
  mysql_options(mysql_, MYSQL_OPT_LOCAL_INFILE, &allowed);
  mysql_optionsv(mysql_, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name",
                 options_.application_name.c_str());
  if (options_.tls != Tls::kDisable) {
    // Encrypts where the server can; AfterConnect sees to the rest.
    const my_bool encrypt = 1;
    mysql_options(mysql_, MYSQL_OPT_SSL_ENFORCE, &encrypt);
    const my_bool verify = 0;
    mysql_options(mysql_, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
  }
  const auto begin = [](void** state, const char*, void* connection) {
    *state = connection;
    return 0;
  };
  const auto end = [](void*) {};
  const auto error = [](void*, char* buffer, unsigned size) {
    *fmt::format_to_n(buffer, size - 1, "there are no data to load").out = '\0';
    return CR_UNKNOWN_ERROR;
  };
  mysql_set_local_infile_handler(mysql_, begin, &ReadCopy, end, error, this);
}

void MysqlConnection::BeginConnect() {
  mysql_ = mysql_init(nullptr);
  if (!IsOpen()) return;
  SetOptions();
  call_ = Call::kConnect;
  Run(mysql_real_connect_start(&connected_, mysql_, options_.address.c_str(), options_.user.c_str(),
                               options_.password.c_str(), options_.database.c_str(),
                               options_.node.port,
                               /*unix_socket=*/nullptr, /*clientflag=*/0));
}

MysqlConnection::Wait MysqlConnection::AfterConnect() {
  if (connected_ == nullptr) {
    FailConnection();
  } else if (options_.tls == Tls::kRequire && mysql_get_ssl_cipher(mysql_) == nullptr) {
    FailWith(CR_SSL_CONNECTION_ERROR, "the server does not offer TLS, which is required", 0);
  } else {
    server_version_ = mysql_get_server_info(mysql_);
    prepared_ = std::make_unique<PreparedStatements>();
    direct_ = options_.path == StatementPath::kDirectWherePossible &&
              mysql_get_ssl_cipher(mysql_) == nullptr &&
              (mysql_->client_flag & CLIENT_COMPRESS) == 0;
    if (direct_) AskForArrivalTimes(static_cast<int>(mysql_get_socket(mysql_)));
    End(OutcomeKind::kNothing, 0);
  }
  return std::nullopt;
}

void MysqlConnection::BeginPrepare(std::span<const StatementSpec> statements) {
  if (!IsOpen()) return;
  statements_ = statements;
  Run(CloseNext());
}

// What was prepared before, from the last to the first.
MysqlConnection::Wait MysqlConnection::CloseNext() {
  while (prepared_->size() > 0) {
    handle_ = prepared_->TakeLast(mysql_);
    if (handle_ == nullptr) continue;
    call_ = Call::kCloseStatement;
    return mysql_stmt_close_start(&failed_to_close_, handle_);
  }
  return PrepareNext();
}

MysqlConnection::Wait MysqlConnection::PrepareNext() {
  if (prepared_->size() == statements_.size()) {
    call_ = Call::kCloseScratch;
    handle_ = prepared_->TakeScratch();
    return handle_ != nullptr ? mysql_stmt_close_start(&failed_to_close_, handle_) : 0;
  }
  call_ = Call::kPrepare;
  const StatementSpec& statement = statements_[prepared_->size()];
  handle_ = prepared_->Scratch(mysql_);
  if (handle_ == nullptr) {
    FailConnection();
    return std::nullopt;
  }
  return mysql_stmt_prepare_start(&failed_, handle_, statement.sql.data(), statement.sql.size());
}

MysqlConnection::Wait MysqlConnection::AfterPrepare() {
  const size_t place = prepared_->size();
  const StatementSpec& statement = statements_[place];
  if (failed_ == 0) {
    if (prepared_->Add(statement)) return PrepareNext();
    FailWith(ER_WRONG_ARGUMENTS,
             fmt::format("the statement has {} placeholders, {} parameters are given",
                         mysql_stmt_param_count(handle_), statement.parameters.size()),
             static_cast<int64_t>(place));
    return std::nullopt;
  }
  if (mysql_stmt_errno(handle_) == ER_UNSUPPORTED_PS && statement.parameters.empty()) {
    prepared_->AddText(statement);
    return PrepareNext();
  }
  FailStatement(static_cast<int64_t>(place));
  return std::nullopt;
}

void MysqlConnection::BeginExecute(size_t statement, std::span<const Value> values) {
  if (!IsOpen()) return;
  kind_ = OutcomeKind::kNothing;
  result_rows_ = 0;
  statement_ = statement;
  if (direct_) {
    const auto numbered = prepared_->Find(statement);
    if (numbered) return ExecuteDirectly(*numbered, values);
  }
  handle_ = prepared_->Bind(statement, values);
  if (handle_ == nullptr) {
    keeps_rows_ = false;
    return Run(StartQuery(prepared_->Sql(statement)));
  }
  call_ = Call::kExecute;
  Run(mysql_stmt_execute_start(&failed_, handle_));
}

MysqlConnection::Wait MysqlConnection::AfterExecute() {
  if (failed_ != 0) {
    FailStatement();
    return std::nullopt;
  }
  prepared_->SetTypesSent(*statement_);
  if (mysql_stmt_field_count(handle_) == 0 || mysql_->field_count == 0) {
    return FinishResult(/*has_rows=*/false, static_cast<int64_t>(mysql_affected_rows(mysql_)));
  }
  call_ = Call::kStoreRows;
  return mysql_stmt_store_result_start(&failed_, handle_);
}

MysqlConnection::Wait MysqlConnection::AfterStoreRows() {
  if (failed_ != 0) {
    FailConnection();
    return std::nullopt;
  }
  const auto rows = static_cast<int64_t>(mysql_stmt_num_rows(handle_));
  mysql_stmt_free_result(handle_);
  return FinishResult(/*has_rows=*/true, rows);
}

MysqlConnection::Wait MysqlConnection::FinishResult(bool has_rows, int64_t rows) {
  if (has_rows) {
    kind_ = OutcomeKind::kRows;
    result_rows_ += rows;
  } else if (rows > 0 && kind_ != OutcomeKind::kRows) {
    kind_ = OutcomeKind::kChanged;
    result_rows_ += rows;
  }
  // A procedure gives as many results as it likes.
  if (mysql_more_results(mysql_) != 0) {
    const bool is_text =
        call_ == Call::kQuery || call_ == Call::kStoreQueryRows || call_ == Call::kNextQueryResult;
    call_ = is_text ? Call::kNextQueryResult : Call::kNextResult;
    return is_text ? mysql_next_result_start(&failed_, mysql_)
                   : mysql_stmt_next_result_start(&failed_, handle_);
  }
  End(kind_, result_rows_);
  return std::nullopt;
}

void MysqlConnection::ExecuteDirectly(const PreparedStatements::Numbered& statement,
                                      std::span<const Value> values) {
  std::string& message = ScratchMessage();
  if (!AppendMysqlExecute(statement.id, statement.types, values, !statement.types_sent, message)) {
    return Fail(OutcomeKind::kError, std::to_string(CR_NET_PACKET_TOO_LARGE),
                "the statement's values take more than 16 MiB");
  }
  SendDirectly(message, MysqlReplyReader::Rows::kBinary);
}

void MysqlConnection::SendDirectly(std::string_view message, MysqlReplyReader::Rows rows) {
  call_ = Call::kExecuteDirectly;
  reader_.Begin(rows);
  const int fd = mysql_get_socket(mysql_);
  // A socket that is broken is met by reading.
  unsent_.Send(fd, message);
  WatchFor({.read = true, .write = !unsent_.empty()});
}

void MysqlConnection::ReadDirectly(Interest ready) {
  if (watched_.write) {
    unsent_.Flush(watched_fd_);
    WatchFor({.read = true, .write = !unsent_.empty()});
  }
  if (!ready.read) return;
  const std::optional<Received> received = ReceiveSome(watched_fd_);
  if (!received) return FailWith(CR_SERVER_LOST, "Lost connection to server during query", 0);
  switch (reader_.Read(received->bytes)) {
    case ReplyState::kPartial:
      return;
    case ReplyState::kWhole:
      return FinishDirectly(received->arrival_ns);
    case ReplyState::kBroken:
      return FailWith(CR_MALFORMED_PACKET, reader_.reply().error_message, 0);
  }
}

void MysqlConnection::FinishDirectly(int64_t arrival_ns) {
  const WireReply& reply = reader_.reply();
  if (reply.kind == OutcomeKind::kError) {
    return FailWith(static_cast<unsigned>(std::stoi(reply.error_code)), reply.error_message, 0);
  }
  if (statement_) prepared_->SetTypesSent(*statement_);
  // The library reads from it whether a transaction is open.
  mysql_->server_status = reader_.status();
  End(reply.kind, reply.rows, arrival_ns);
}

void MysqlConnection::BeginExecuteText(std::string_view sql) {
  if (!IsOpen()) return;
  kind_ = OutcomeKind::kNothing;
  result_rows_ = 0;
  statement_.reset();
  if (direct_) {
    std::string& message = ScratchMessage();
    if (AppendMysqlQuery(sql, message)) {
      return SendDirectly(message, MysqlReplyReader::Rows::kText);
    }
  }
  keeps_rows_ = false;
  Run(StartQuery(sql));
}

void MysqlConnection::BeginQuery(std::string_view sql) {
  if (!IsOpen()) return;
  kind_ = OutcomeKind::kNothing;
  result_rows_ = 0;
  sql_ = sql;
  keeps_rows_ = true;
  rows_.clear();
  Run(StartQuery(sql_));
}

void MysqlConnection::BeginCopy(std::string_view sql, CopySource& source) {
  if (!IsOpen()) return;
  copy_source_ = &source;
  copy_rest_ = {};
  kind_ = OutcomeKind::kNothing;
  result_rows_ = 0;
  sql_ = sql;
  keeps_rows_ = false;
  Run(StartQuery(sql_));
}

// The text must live until the call has ended.
MysqlConnection::Wait MysqlConnection::StartQuery(std::string_view sql) {
  call_ = Call::kQuery;
  return mysql_real_query_start(&failed_, mysql_, sql.data(), sql.size());
}

MysqlConnection::Wait MysqlConnection::AfterQuery() {
  copy_source_ = nullptr;
  if (failed_ != 0) {
    FailConnection();
    return std::nullopt;
  }
  if (mysql_field_count(mysql_) == 0) {
    return FinishResult(/*has_rows=*/false, static_cast<int64_t>(mysql_affected_rows(mysql_)));
  }
  call_ = Call::kStoreQueryRows;
  return mysql_store_result_start(&result_, mysql_);
}

MysqlConnection::Wait MysqlConnection::AfterStoreQueryRows() {
  st_mysql_res* result = std::exchange(result_, nullptr);
  if (result == nullptr) {
    FailConnection();
    return std::nullopt;
  }
  if (keeps_rows_) KeepRows(result);
  const auto rows = static_cast<int64_t>(mysql_num_rows(result));
  mysql_free_result(result);
  return FinishResult(/*has_rows=*/true, rows);
}

void MysqlConnection::KeepRows(st_mysql_res* result) {
  const unsigned columns = mysql_num_fields(result);
  while (MYSQL_ROW row = mysql_fetch_row(result)) {
    const unsigned long* lengths = mysql_fetch_lengths(result);
    ResultRow& kept = rows_.emplace_back();
    for (unsigned column = 0; column < columns; ++column) {
      if (row[column] == nullptr) {
        kept.emplace_back();
      } else {
        kept.emplace_back(std::in_place, row[column], lengths[column]);
      }
    }
  }
}

// Called by the library, on the small stack of the suspended call.
int MysqlConnection::ReadCopy(void* connection, char* buffer, unsigned size) {
  auto& self = *static_cast<MysqlConnection*>(connection);
  if (self.copy_source_ == nullptr) return -1;
  if (self.copy_rest_.empty()) self.copy_rest_ = self.copy_source_->Next();
  const size_t count = std::min<size_t>(size, self.copy_rest_.size());
  std::copy_n(self.copy_rest_.data(), count, buffer);
  self.copy_rest_.remove_prefix(count);
  return static_cast<int>(count);
}

}  // namespace sysfleet
