#include "agent/database/mysql/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "agent/database/message.h"

namespace sysfleet {
namespace {

constexpr size_t kHeaderBytes = 4;  // length and sequence number
constexpr size_t kPacketMax = (size_t{1} << 24) - 1;
constexpr char kQuery = 0x03;
constexpr char kStatementExecute = 0x17;
constexpr uint8_t kOk = 0x00;
constexpr uint8_t kError = 0xff;
constexpr uint8_t kEnd = 0xfe;
constexpr uint8_t kWantsFile = 0xfb;
constexpr uint16_t kMoreResults = 0x8;

uint8_t ByteAt(std::string_view body, size_t i) {
  return static_cast<uint8_t>(body[i]);
}

uint16_t Int16At(std::string_view body, size_t i) {
  return static_cast<uint16_t>(ByteAt(body, i) | ByteAt(body, i + 1) << 8);
}

template <typename Integer>
void AppendInt(Integer number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

uint16_t TypeCode(ParameterType type) {
  constexpr uint16_t kLong = 0x03;
  constexpr uint16_t kLongLong = 0x08;
  constexpr uint16_t kString = 0xfe;
  switch (type) {
    case ParameterType::kInt32:
      return kLong;
    case ParameterType::kInt64:
      return kLongLong;
    case ParameterType::kText:
      return kString;
  }
  return kString;
}

void AppendText(std::string_view text, std::string& out) {
  const size_t size = text.size();
  if (size < 251) {
    out.push_back(static_cast<char>(size));
  } else if (size <= 0xffff) {
    out.push_back('\xfc');
    AppendInt(static_cast<uint16_t>(size), out);
  } else {
    out.push_back('\xfd');
    for (int shift = 0; shift < 24; shift += 8) out.push_back(static_cast<char>(size >> shift));
  }
  out.append(text);
}

void AppendValue(ParameterType type, const Value& value, std::string& out) {
  switch (type) {
    case ParameterType::kInt32:
      return AppendInt(static_cast<int32_t>(value.integer), out);
    case ParameterType::kInt64:
      return AppendInt(value.integer, out);
    case ParameterType::kText:
      return AppendText(value.text, out);
  }
}

// Of the packet that begins at `begin` and ends with `out`; false where it is too long for one.
bool FillHeader(size_t begin, std::string& out) {
  const size_t length = out.size() - begin - kHeaderBytes;
  if (length >= kPacketMax) return false;
  // The sequence number, the highest byte, is 0.
  const auto header = static_cast<uint32_t>(length);
  std::memcpy(out.data() + begin, &header, sizeof header);
  return true;
}

// A binary row begins with 0. One in text begins with the length of its first value: only one that
// is far longer than the packet of an end begins as that does.
inline bool IsRow(MysqlReplyReader::Rows rows, uint8_t first, size_t length) {
  constexpr size_t kEndBytesMax = 8;
  if (rows == MysqlReplyReader::Rows::kBinary) return first == kOk;
  return first != kError && (first != kEnd || length > kEndBytesMax);
}

// A length-encoded integer at the front of `body`, which it is taken from. False where it does not
// fit.
bool TakeLength(std::string_view& body, uint64_t& number) {
  if (body.empty()) return false;
  const uint8_t first = ByteAt(body, 0);
  const size_t bytes = first == 0xfc ? 2 : first == 0xfd ? 3 : first == 0xfe ? 8 : 0;
  if (body.size() < 1 + bytes) return false;
  number = bytes == 0 ? first : 0;
  for (size_t i = 0; i < bytes; ++i) number |= uint64_t{ByteAt(body, 1 + i)} << (8 * i);
  body.remove_prefix(1 + bytes);
  return true;
}

}  // namespace

bool AppendMysqlExecute(uint32_t statement_id, std::span<const ParameterType> types,
                        std::span<const Value> values, bool with_types, std::string& out) {
  const size_t begin = out.size();
  AppendInt(uint32_t{0}, out);  // its header comes later
  out.push_back(kStatementExecute);
  AppendInt(statement_id, out);
  out.push_back('\0');          // no cursor
  AppendInt(uint32_t{1}, out);  // executed once
  if (!types.empty()) {
    out.append((types.size() + 7) / 8, '\0');  // no NULL
    out.push_back(with_types ? '\1' : '\0');
    if (with_types) {
      for (const ParameterType type : types) AppendInt(TypeCode(type), out);
    }
    for (size_t i = 0; i < types.size(); ++i) AppendValue(types[i], values[i], out);
  }
  return FillHeader(begin, out);
}

bool AppendMysqlQuery(std::string_view sql, std::string& out) {
  const size_t begin = out.size();
  AppendInt(uint32_t{0}, out);  // its header comes later
  out.push_back(kQuery);
  out.append(sql);
  return FillHeader(begin, out);
}

void MysqlReplyReader::Begin(Rows rows) {
  rows_ = rows;
  reply_.kind = OutcomeKind::kNothing;
  reply_.rows = 0;
  expect_ = Expect::kResult;
}

ReplyState MysqlReplyReader::Read(std::string_view bytes) {
  size_t used = 0;
  if (partial_.empty()) [[likely]] {
    const ReplyState state = ReadPackets(bytes, used);
    if (used < bytes.size()) partial_ = bytes.substr(used);
    return state;
  }
  partial_.append(bytes);
  const ReplyState state = ReadPackets(partial_, used);
  partial_.erase(0, used);
  return state;
}

ReplyState MysqlReplyReader::ReadPackets(std::string_view bytes, size_t& used) {
  while (true) {
    const size_t skipped = std::min(skip_, bytes.size() - used);
    skip_ -= skipped;
    used += skipped;
    if (bytes.size() - used <= kHeaderBytes) return ReplyState::kPartial;
    const std::string_view packet = bytes.substr(used);
    const size_t length = size_t{ByteAt(packet, 0)} | size_t{ByteAt(packet, 1)} << 8 |
                          size_t{ByteAt(packet, 2)} << 16;
    if (length == 0) return Break("an empty packet");
    // A row's packets may be of any size.
    if (expect_ == Expect::kRow && IsRow(rows_, ByteAt(packet, kHeaderBytes), length)) {
      ++reply_.rows;
      used += kHeaderBytes;
      skip_ = length;
      if (length == kPacketMax) return Break("a row of 16 MiB or more");
      continue;
    }
    if (packet.size() < kHeaderBytes + length) return ReplyState::kPartial;
    used += kHeaderBytes + length;
    const ReplyState state = ReadPacket(packet.substr(kHeaderBytes, length));
    if (state != ReplyState::kPartial) return state;
  }
}

ReplyState MysqlReplyReader::ReadPacket(std::string_view body) {
  const uint8_t first = ByteAt(body, 0);
  if (first == kError && expect_ != Expect::kColumn) return ReadError(body);
  switch (expect_) {
    case Expect::kResult:
      return ReadResultHead(body);
    case Expect::kColumn:
      if (--columns_left_ == 0) expect_ = Expect::kColumnsEnd;
      return ReplyState::kPartial;
    case Expect::kColumnsEnd:
    case Expect::kRow:
      break;
  }
  constexpr size_t kEndBytes = 5;
  if (first != kEnd || body.size() < kEndBytes) return Break("a packet where the end was expected");
  if (expect_ == Expect::kColumnsEnd) {
    expect_ = Expect::kRow;
    return ReplyState::kPartial;
  }
  return EndResult(Int16At(body, 3));
}

// OK, or how many columns follow.
ReplyState MysqlReplyReader::ReadResultHead(std::string_view body) {
  uint64_t number = 0;
  if (ByteAt(body, 0) == kOk) {
    uint64_t last_id = 0;
    body.remove_prefix(1);
    if (!TakeLength(body, number) || !TakeLength(body, last_id) || body.size() < 2) {
      return Break("an OK that is too short");
    }
    if (number > 0 && reply_.kind != OutcomeKind::kRows) {
      reply_.kind = OutcomeKind::kChanged;
      reply_.rows += static_cast<int64_t>(number);
    }
    return EndResult(Int16At(body, 0));
  }
  if (ByteAt(body, 0) == kWantsFile) return Break("the statement asks for a file");
  if (!TakeLength(body, number)) return Break("a result without a number of columns");
  reply_.kind = OutcomeKind::kRows;
  columns_left_ = number;
  // MariaDB tells in one more byte whether it sends the columns again.
  const bool columns_follow = body.empty() || body[0] != '\0';
  expect_ = columns_follow ? Expect::kColumn : Expect::kColumnsEnd;
  return ReplyState::kPartial;
}

ReplyState MysqlReplyReader::EndResult(uint16_t status) {
  status_ = status;
  expect_ = Expect::kResult;
  // A procedure gives as many results as it likes.
  return (status & kMoreResults) != 0 ? ReplyState::kPartial : ReplyState::kWhole;
}

ReplyState MysqlReplyReader::ReadError(std::string_view body) {
  constexpr size_t kCodeEnd = 3;
  if (body.size() < kCodeEnd) return Break("an error that is too short");
  reply_.kind = OutcomeKind::kError;
  reply_.rows = 0;
  reply_.error_code = fmt::format("{}", Int16At(body, 1));
  std::string_view message = body.substr(kCodeEnd);
  constexpr size_t kStateBytes = 6;
  if (message.starts_with('#') && message.size() >= kStateBytes) message.remove_prefix(kStateBytes);
  reply_.error_message = OneLine(message);
  return ReplyState::kWhole;
}

ReplyState MysqlReplyReader::Break(std::string_view why) {
  reply_.error_code = "lost";
  reply_.error_message = why;
  return ReplyState::kBroken;
}

}  // namespace sysfleet
