// The MySQL protocol as far as executing a statement needs it: the direct path past the client
// library, whose calls change stacks and copy. Pure: values in, bytes out, and back.
//
// Source: MariaDB's documentation, "Client/Server Protocol": COM_STMT_EXECUTE and COM_QUERY and
// their responses, with end-of-file packets (CLIENT_DEPRECATE_EOF is not asked for by MariaDB
// Connector/C).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "agent/database/value.h"
#include "agent/database/wire_reply.h"

namespace sysfleet {

/// Appends COM_STMT_EXECUTE. The server must have been told the parameters' types by an earlier
/// execution unless `with_types`. At most 16 MiB, which longer statements would split: false then.
bool AppendMysqlExecute(uint32_t statement_id, std::span<const ParameterType> types,
                        std::span<const Value> values, bool with_types, std::string& out);

/// Appends COM_QUERY. At most 16 MiB, as above.
bool AppendMysqlQuery(std::string_view sql, std::string& out);

/// Reads the server's reply, in pieces as they come. Not thread-safe.
class MysqlReplyReader {
 public:
  /// How the reply's rows are written: binary to a prepared statement, text to a query.
  enum class Rows : uint8_t { kBinary, kText };

  void Begin(Rows rows = Rows::kBinary);

  ReplyState Read(std::string_view bytes);

  /// Of the present reply. An error's code is the server's number.
  const WireReply& reply() const { return reply_; }

  /// The server's status flags, as the last reply that had any told.
  uint16_t status() const { return status_; }

 private:
  // What the next packet is.
  enum class Expect : uint8_t { kResult, kColumn, kColumnsEnd, kRow };

  ReplyState ReadPackets(std::string_view bytes, size_t& used);
  ReplyState ReadPacket(std::string_view body);
  ReplyState ReadResultHead(std::string_view body);
  ReplyState EndResult(uint16_t status);
  ReplyState ReadError(std::string_view body);
  ReplyState Break(std::string_view why);

  WireReply reply_;
  uint16_t status_ = 0;
  Rows rows_ = Rows::kBinary;
  Expect expect_ = Expect::kResult;
  uint64_t columns_left_ = 0;
  // Bytes of a packet nobody looks at that have not come yet.
  size_t skip_ = 0;
  // The beginning of a packet whose rest has not come.
  std::string partial_;
};

}  // namespace sysfleet
