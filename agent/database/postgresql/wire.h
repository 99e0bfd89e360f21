// PostgreSQL's wire protocol as far as executing a statement needs it: the direct path past libpq,
// which allocates and copies for each result. Pure: values in, bytes out, and back.
//
// Source: PostgreSQL's documentation, "Frontend/Backend Protocol", version 3.0, "Simple Query" and
// "Extended Query".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "agent/database/value.h"
#include "agent/database/wire_reply.h"

namespace sysfleet {

/// Appends the messages Bind, Describe, Execute and Sync, the same that libpq sends for
/// PQsendQueryPrepared: parameters and results binary. `name` is the prepared statement's.
void AppendPostgresqlExecute(std::string_view name, std::span<const ParameterType> types,
                             std::span<const Value> values, std::string& out);

/// Appends the message Query, as PQsendQuery does.
void AppendPostgresqlQuery(std::string_view sql, std::string& out);

/// Reads the server's reply, in pieces as they come. Not thread-safe.
class PostgresqlReplyReader {
 public:
  /// Begins a reply. What the server has said unasked since the last one is kept.
  void Begin();

  ReplyState Read(std::string_view bytes);

  /// Of the present reply.
  const WireReply& reply() const { return reply_; }

  /// As the last whole reply told.
  bool in_transaction() const { return in_transaction_; }

 private:
  ReplyState ReadMessages(std::string_view bytes, size_t& used);
  ReplyState ReadMessage(char type, std::string_view body);
  ReplyState Break(std::string_view why);

  WireReply reply_;
  bool in_transaction_ = false;
  bool has_columns_ = false;
  // Bytes of a message nobody looks at that have not come yet.
  size_t skip_ = 0;
  // The beginning of a message whose rest has not come.
  std::string partial_;
};

}  // namespace sysfleet
