// Puts the present values of a connection's variables into a statement and sends it: prepared, as
// text, or as INSERTs of many rows. Not thread-safe; once its buffers have grown, sending allocates
// nothing of ours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/database/connection.h"
#include "agent/engine/generator.h"
#include "agent/engine/program.h"

namespace sysfleet {

class StatementSender {
 public:
  /// Both must outlive this object.
  StatementSender(const Program& program, Variables& variables)
      : program_(program), variables_(variables), arguments_(program.arguments_max()) {}

  /// Begins an execution of `statement`. `events_left` bounds the rows of an INSERT that counts
  /// each row as an event.
  void Begin(const ProgramStatement& statement, int64_t events_left);

  /// Writes what is to be sent next.
  void Write();

  /// Sends what was written. The reply's rows are kept for TakeRows where the statement captures.
  Connection::Completion Send(Connection& connection) const;

  /// An execution's rows may need more than one INSERT: then Write and Send again.
  bool has_more() const { return rows_left_ > 0; }

  /// Of the INSERT that was written last.
  int64_t rows_written() const { return rows_written_; }

 private:
  void WriteText();
  void WriteRows(const ProgramRows& rows);

  const Program& program_;
  Variables& variables_;
  const ProgramStatement* statement_ = nullptr;
  std::vector<Value> arguments_;
  std::string text_;
  std::string row_;
  int64_t rows_left_ = 0;
  int64_t rows_written_ = 0;
  bool row_is_waiting_ = false;  // row_ did not fit into the last INSERT
};

}  // namespace sysfleet
