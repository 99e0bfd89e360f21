#include "agent/database/postgresql/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "agent/database/message.h"

namespace sysfleet {
namespace {

constexpr size_t kHeaderBytes = 5;  // type and length
// Longer than any error or tag; rows are skipped without looking at their size.
constexpr size_t kReadMessageMax = 1 << 20;

void AppendInt32(uint32_t number, std::string& out) {
  const uint32_t swapped = __builtin_bswap32(number);
  out.append(reinterpret_cast<const char*>(&swapped), sizeof swapped);
}

void AppendInt64(uint64_t number, std::string& out) {
  const uint64_t swapped = __builtin_bswap64(number);
  out.append(reinterpret_cast<const char*>(&swapped), sizeof swapped);
}

uint32_t ReadInt32(const char* bytes) {
  uint32_t number = 0;
  std::memcpy(&number, bytes, sizeof number);
  return __builtin_bswap32(number);
}

void AppendValue(ParameterType type, const Value& value, std::string& out) {
  switch (type) {
    case ParameterType::kInt32:
      AppendInt32(4, out);
      return AppendInt32(static_cast<uint32_t>(value.integer), out);
    case ParameterType::kInt64:
      AppendInt32(8, out);
      return AppendInt64(static_cast<uint64_t>(value.integer), out);
    case ParameterType::kText:
      AppendInt32(static_cast<uint32_t>(value.text.size()), out);
      out.append(value.text);
      return;
  }
}

// "SELECT 100", "INSERT 0 1", "UPDATE 3"; 0 where a tag has no number.
int64_t RowsOfTag(std::string_view tag) {
  int64_t rows = 0;
  int64_t scale = 1;
  for (size_t i = tag.size(); i > 0 && tag[i - 1] >= '0' && tag[i - 1] <= '9'; --i) {
    rows += (tag[i - 1] - '0') * scale;
    scale *= 10;
  }
  return rows;
}

void ReadError(std::string_view body, WireReply& reply) {
  while (!body.empty() && body[0] != '\0') {
    const size_t end = body.find('\0', 1);
    if (end == std::string_view::npos) break;
    const std::string_view text = body.substr(1, end - 1);
    if (body[0] == 'C') reply.error_code = text;
    if (body[0] == 'M') reply.error_message = OneLine(text);
    // The severity that is never translated.
    if (body[0] == 'V') reply.fatal = text == "FATAL" || text == "PANIC";
    body.remove_prefix(end + 1);
  }
}

}  // namespace

void AppendPostgresqlExecute(std::string_view name, std::span<const ParameterType> types,
                             std::span<const Value> values, std::string& out) {
  using namespace std::string_view_literals;
  const size_t begin = out.size();
  out.append("B\0\0\0\0\0"sv);  // its length comes later; the unnamed portal
  out.append(name).push_back('\0');
  // All parameters are binary, and so are the columns.
  out.append(types.empty() ? "\0\0"sv : "\0\1\0\1"sv);
  out.push_back(static_cast<char>(types.size() >> 8));
  out.push_back(static_cast<char>(types.size()));
  for (size_t i = 0; i < types.size(); ++i) AppendValue(types[i], values[i], out);
  out.append("\0\1\0\1"sv);
  const uint32_t length = __builtin_bswap32(static_cast<uint32_t>(out.size() - begin - 1));
  std::memcpy(out.data() + begin + 1, &length, sizeof length);
  out.append("D\0\0\0\6P\0"sv);
  out.append("E\0\0\0\x9\0\0\0\0\0"sv);
  out.append("S\0\0\0\4"sv);
}

void AppendPostgresqlQuery(std::string_view sql, std::string& out) {
  constexpr size_t kLengthBytes = 4;
  out.push_back('Q');
  AppendInt32(static_cast<uint32_t>(kLengthBytes + sql.size() + 1), out);
  out.append(sql).push_back('\0');
}

void PostgresqlReplyReader::Begin() {
  reply_.kind = OutcomeKind::kNothing;
  reply_.rows = 0;
  has_columns_ = false;
}

ReplyState PostgresqlReplyReader::Read(std::string_view bytes) {
  size_t used = 0;
  if (partial_.empty()) [[likely]] {
    const ReplyState state = ReadMessages(bytes, used);
    if (used < bytes.size()) partial_ = bytes.substr(used);
    return state;
  }
  partial_.append(bytes);
  const ReplyState state = ReadMessages(partial_, used);
  partial_.erase(0, used);
  return state;
}

ReplyState PostgresqlReplyReader::ReadMessages(std::string_view bytes, size_t& used) {
  while (true) {
    const size_t skipped = std::min(skip_, bytes.size() - used);
    skip_ -= skipped;
    used += skipped;
    if (bytes.size() - used < kHeaderBytes) return ReplyState::kPartial;
    const char* const message = bytes.data() + used;
    const size_t length = size_t{ReadInt32(message + 1)} + 1;
    if (length < kHeaderBytes) return Break("a message without a length");
    if (*message == 'D') {
      ++reply_.rows;
      used += kHeaderBytes;
      skip_ = length - kHeaderBytes;
      continue;
    }
    if (length > kReadMessageMax) return Break("a message that is too long");
    if (bytes.size() - used < length) return ReplyState::kPartial;
    used += length;
    const ReplyState state = ReadMessage(*message, {message + kHeaderBytes, length - kHeaderBytes});
    if (state != ReplyState::kPartial) return state;
  }
}

ReplyState PostgresqlReplyReader::ReadMessage(char type, std::string_view body) {
  switch (type) {
    case '2':  // bound
    case 'n':  // no columns
    case 'I':  // an empty statement
    case 'N':  // a notice
    case 'S':  // a setting has changed
    case 'A':  // a notification
      return ReplyState::kPartial;
    case 'T':
      has_columns_ = true;
      return ReplyState::kPartial;
    case 'C':
      if (has_columns_) {
        reply_.kind = OutcomeKind::kRows;
      } else {
        if (!body.empty() && body.back() == '\0') body.remove_suffix(1);
        reply_.rows = RowsOfTag(body);
        reply_.kind = reply_.rows > 0 ? OutcomeKind::kChanged : OutcomeKind::kNothing;
      }
      return ReplyState::kPartial;
    case 'E':
      if (reply_.kind != OutcomeKind::kError) {
        ReadError(body, reply_);
        reply_.kind = OutcomeKind::kError;
        reply_.rows = 0;
      }
      // Nothing follows but the end of the stream.
      return reply_.fatal ? ReplyState::kWhole : ReplyState::kPartial;
    case 'Z':
      if (body.empty()) return Break("a message that is too short");
      in_transaction_ = body[0] != 'I';
      return ReplyState::kWhole;
    case 'G':
    case 'H':
    case 'W':
      return Break("the statement copies data, which only loading does");
    default:
      return Break(fmt::format("a message of the unknown type {}", static_cast<int>(type)));
  }
}

ReplyState PostgresqlReplyReader::Break(std::string_view why) {
  reply_.error_code = "lost";
  reply_.error_message = why;
  return ReplyState::kBroken;
}

}  // namespace sysfleet
