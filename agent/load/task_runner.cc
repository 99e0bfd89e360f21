#include "agent/load/task_runner.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "agent/load/outcome_status.h"
#include "agent/load/prepared_insert.h"
#include "agent/load/row_writer.h"
#include "common/base/status.h"
#include "common/rpc/error.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

// A connection, and where it leads to.
struct Database {
  Connection& connection;
  DriverFamily family;
  const Endpoint& node;
};

void AddRow(const ResultRow& row, v1::TaskDone& done) {
  v1::Row& added = *done.add_rows();
  for (const std::optional<std::string>& field : row) {
    v1::Field& text = *added.add_fields();
    if (field) text.set_text(*field);
  }
}

Task<absl::Status> Execute(Database database, std::string_view sql) {
  co_return ToStatus(co_await database.connection.Query(sql), database.node, sql);
}

Task<absl::Status> RunScript(Database database, const v1::Script& script, v1::TaskDone& done) {
  for (const std::string& sql : script.sql()) {
    const Outcome& outcome = co_await database.connection.Query(sql);
    if (!outcome.ok()) co_return ToStatus(outcome, database.node, sql);
    if (outcome.kind != OutcomeKind::kRows) continue;
    done.clear_rows();
    for (const ResultRow& row : database.connection.TakeRows()) AddRow(row, done);
  }
  co_return absl::OkStatus();
}

// What a chunk's rows are written with.
struct Writers {
  RowWriter text;
  // Prepared on the connection.
  std::optional<PreparedInsert> prepared;
};

// Only where the format is INSERT, and the rows are enough for it. A server that does not prepare
// it, for whatever reason, gets text, and says to that what is wrong if something is.
Task<absl::Status> PrepareInsert(Database database, const v1::Chunk& chunk, Writers& writers) {
  if (writers.text.format() != LoadFormat::kValues) co_return absl::OkStatus();
  absl::StatusOr<PreparedInsert> insert =
      PreparedInsert::Compile(chunk.table(), writers.text.sql(), database.family);
  if (!insert.ok()) co_return insert.status();
  if (chunk.last_row() - chunk.first_row() + 1 < insert->rows()) co_return absl::OkStatus();
  if (database.family == DriverFamily::kMysql && IsAscii(chunk.table())) {
    const absl::Status named = co_await Execute(database, "SET NAMES binary");
    if (!named.ok()) co_return named;
  }
  writers.prepared = *std::move(insert);
  const Outcome& outcome = co_await database.connection.Prepare(writers.prepared->statements());
  if (outcome.kind == OutcomeKind::kLost) {
    co_return ToStatus(outcome, database.node, writers.text.sql());
  }
  if (!outcome.ok()) writers.prepared.reset();
  co_return absl::OkStatus();
}

Task<absl::StatusOr<int64_t>> InsertRows(Database database, Writers& writers, int64_t first_row,
                                         int64_t last_row) {
  int64_t rows = 0;
  if (writers.prepared) {
    PreparedInsert& insert = *writers.prepared;
    for (; first_row + insert.rows() - 1 <= last_row; first_row += insert.rows()) {
      const Outcome& outcome = co_await database.connection.Execute(0, insert.Values(first_row));
      if (!outcome.ok()) co_return ToStatus(outcome, database.node, writers.text.sql());
      rows += outcome.rows;
    }
  }
  InsertStatements statements(writers.text, first_row, last_row);
  for (std::string_view sql = statements.Next(); !sql.empty(); sql = statements.Next()) {
    const Outcome& outcome = co_await database.connection.Query(sql);
    if (!outcome.ok()) co_return ToStatus(outcome, database.node, writers.text.sql());
    rows += outcome.rows;
  }
  co_return rows;
}

Task<absl::StatusOr<int64_t>> CopyRows(Database database, RowWriter& writer, int64_t first_row,
                                       int64_t last_row) {
  RowLines lines(writer, first_row, last_row);
  const Outcome& outcome = co_await database.connection.Copy(writer.sql(), lines);
  if (!outcome.ok()) co_return ToStatus(outcome, database.node, writer.sql());
  co_return outcome.rows;
}

Task<absl::StatusOr<int64_t>> LoadRows(Database database, Writers& writers,
                                       const v1::Chunk& chunk) {
  if (writers.text.format() == LoadFormat::kLines) {
    co_return co_await CopyRows(database, writers.text, chunk.first_row(), chunk.last_row());
  }
  co_return co_await InsertRows(database, writers, chunk.first_row(), chunk.last_row());
}

Task<absl::Status> RunChunk(Database database, const v1::Chunk& chunk, v1::TaskDone& done) {
  absl::StatusOr<RowWriter> writer = RowWriter::Compile(chunk.table(), database.family);
  if (!writer.ok()) co_return writer.status();
  Writers writers{*std::move(writer), std::nullopt};
  // Before the transaction: on PostgreSQL, what fails within it ends it.
  absl::Status status = co_await PrepareInsert(database, chunk, writers);
  if (!status.ok()) co_return status;
  status = co_await Execute(database, "BEGIN");
  if (!status.ok()) co_return status;
  const absl::StatusOr<int64_t> rows = co_await LoadRows(database, writers, chunk);
  if (!rows.ok()) co_return rows.status();
  // LOAD DATA LOCAL skips a row whose key exists, with a warning.
  if (const int64_t wanted = chunk.last_row() - chunk.first_row() + 1; *rows != wanted) {
    co_return absl::AlreadyExistsError(fmt::format("database {}: {}: the server took {} of {} rows",
                                                   ToString(database.node), writers.text.sql(),
                                                   *rows, wanted));
  }
  status = co_await Execute(database, chunk.completed_sql());
  if (!status.ok()) co_return status;
  status = co_await Execute(database, "COMMIT");
  if (status.ok()) done.set_rows_loaded(static_cast<uint64_t>(*rows));
  co_return status;
}

Task<absl::Status> RunWork(Database database, const v1::Task& task, v1::TaskDone& done) {
  switch (task.work_case()) {
    case v1::Task::kScript:
      co_return co_await RunScript(database, task.script(), done);
    case v1::Task::kChunk:
      co_return co_await RunChunk(database, task.chunk(), done);
    case v1::Task::WORK_NOT_SET:
      break;
  }
  co_return absl::InvalidArgumentError("a task without work that this version knows");
}

}  // namespace

Task<v1::TaskDone> RunTask(Connection& connection, DriverFamily family, const Endpoint& node,
                           const v1::Task& task) {
  const Database database{connection, family, node};
  v1::TaskDone done;
  done.set_id(task.id());
  absl::Status status = co_await RunWork(database, task, done);
  if (connection.InTransaction()) {
    const absl::Status rolled_back = co_await Execute(database, "ROLLBACK");
    // The server rolls back what a lost connection leaves.
    if (!rolled_back.ok()) connection.Close("ROLLBACK failed");
  }
  ToMessage(status, *done.mutable_error());
  co_return done;
}

}  // namespace sysfleet
