#include "agent/engine/statement_sender.h"

namespace sysfleet {

void StatementSender::Begin(const ProgramStatement& statement, int64_t events_left) {
  // A row of a bulk INSERT that did not fit goes into the next one.
  const bool goes_on = statement_ == &statement && statement.rows && statement.rows->count == 0;
  row_is_waiting_ = row_is_waiting_ && goes_on;
  statement_ = &statement;
  rows_left_ = rows_written_ = 0;
  if (!statement.rows) return;
  rows_left_ = statement.rows->count > 0 ? statement.rows->count : events_left;
}

void StatementSender::Write() {
  if (!statement_->texts.empty()) return WriteText();
  for (size_t i = 0; i < statement_->arguments.size(); ++i) {
    arguments_[i] = variables_[statement_->arguments[i]];
  }
}

Connection::Completion StatementSender::Send(Connection& connection) const {
  if (!statement_->captures.empty()) return connection.Query(text_);
  if (!statement_->texts.empty()) return connection.ExecuteText(text_);
  return connection.Execute(statement_->first_prepared + Program::Variant(*statement_, variables_),
                            arguments_);
}

void StatementSender::WriteText() {
  const std::vector<SqlText>& texts = statement_->texts;
  const size_t variant = texts.size() == 1 ? 0 : Program::Variant(*statement_, variables_);
  text_.clear();
  texts[variant].Append(variables_, text_);
  if (statement_->rows) WriteRows(*statement_->rows);
}

void StatementSender::WriteRows(const ProgramRows& rows) {
  rows_written_ = 0;
  while (rows_left_ > 0) {
    if (!row_is_waiting_) {
      for (const uint32_t variable : rows.draws) variables_.Draw(variable);
      row_.clear();
      rows.row.Append(variables_, row_);
    }
    // One row is sent, however long it is.
    row_is_waiting_ = rows_written_ > 0 && text_.size() + 1 + row_.size() > rows.bytes_max;
    if (row_is_waiting_) break;
    if (rows_written_ > 0) text_ += ',';
    text_ += row_;
    ++rows_written_;
    --rows_left_;
  }
  // Each row is an event of its own, and the next one begins another transaction.
  if (rows.count == 0) rows_left_ = 0;
}

}  // namespace sysfleet
