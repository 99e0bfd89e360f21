// The server's side of a wire protocol, for one connection of the null server. Pure: bytes in,
// bytes out.
//
// Sources: PostgreSQL's documentation, "Frontend/Backend Protocol" (version 3.0); MySQL's and
// MariaDB's, "Client/Server Protocol" (4.1 and later, text and binary results).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sysfleet {

class NullProtocol {
 public:
  virtual ~NullProtocol() = default;

  /// What the server says first.
  virtual void Greet(std::string& out) = 0;

  /// Answers the messages at the beginning of `in` that are whole, and returns how many bytes they
  /// have. Replies are appended to `out`.
  virtual size_t Answer(std::string_view in, std::string& out) = 0;

  /// The client has said goodbye or something that cannot be understood: close the connection.
  bool ended() const { return ended_; }

  /// Statements executed since the connection began.
  uint64_t statements() const { return statements_; }

 protected:
  bool ended_ = false;
  uint64_t statements_ = 0;
};

/// Makes the connections of one null server, which share what was made of each SQL text. Must
/// outlive them. Used by one thread.
class NullFamily {
 public:
  virtual ~NullFamily() = default;
  virtual std::unique_ptr<NullProtocol> Accept() = 0;
};

std::unique_ptr<NullFamily> MakeNullPostgresql();
std::unique_ptr<NullFamily> MakeNullMysql();

}  // namespace sysfleet
