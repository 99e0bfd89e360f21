#include <array>
#include <cstring>
#include <vector>

#include "agent/calibration/null_protocol.h"
#include "agent/calibration/null_statement.h"
#include "agent/calibration/statement_cache.h"

namespace sysfleet {
namespace {

enum Command : uint8_t {
  kQuit = 0x01,
  kInitDb = 0x02,
  kQuery = 0x03,
  kPing = 0x0e,
  kPrepare = 0x16,
  kExecute = 0x17,
  kSendLongData = 0x18,
  kClose = 0x19,
  kReset = 0x1a,
};

// Capabilities: long password, found rows, long flag, connect with database, protocol 4.1,
// transactions, secure connection, authentication by plugin. No TLS, no compression, and results
// with the old end marks.
constexpr uint32_t kCapabilities = 0x1 | 0x2 | 0x4 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x80000;
constexpr uint8_t kCharsetUtf8mb4 = 45;
constexpr uint16_t kInTransaction = 0x1;
constexpr uint16_t kAutocommit = 0x2;
constexpr uint8_t kTypeInt64 = 0x08;
constexpr uint8_t kTypeString = 0xfe;
constexpr size_t kHeader = 4;

// One packet; its header is filled in at the end of its life.
class Packet {
 public:
  Packet(std::string& out, uint8_t& sequence) : out_(out), begin_(out.size()) {
    out_.append(3, '\0');
    out_ += static_cast<char>(sequence++);
  }
  ~Packet() {
    const size_t length = out_.size() - begin_ - kHeader;
    for (size_t i = 0; i < 3; ++i) out_[begin_ + i] = static_cast<char>(length >> (8 * i));
  }
  Packet(const Packet&) = delete;
  Packet& operator=(const Packet&) = delete;

  /// An integer of `size` bytes, the lowest first.
  Packet& Int(uint64_t number, int size) {
    for (int i = 0; i < size; ++i) out_ += static_cast<char>(number >> (8 * i));
    return *this;
  }
  Packet& Raw(std::string_view bytes) {
    out_ += bytes;
    return *this;
  }
  /// With its length in front; below 251 bytes.
  Packet& Text(std::string_view text) { return Int(text.size(), 1).Raw(text); }

 private:
  std::string& out_;
  const size_t begin_;
};

void AppendOk(std::string& out, uint8_t& sequence, int changed, uint16_t status) {
  Packet(out, sequence)
      .Int(0, 1)
      .Int(static_cast<uint64_t>(changed), 1)
      .Int(0, 1)
      .Int(status, 2)
      .Int(0, 2);
}

void AppendEnd(std::string& out, uint8_t& sequence, uint16_t status) {
  Packet(out, sequence).Int(0xfe, 1).Int(0, 2).Int(status, 2);
}

void AppendColumn(std::string& out, uint8_t& sequence, std::string_view name, uint8_t type) {
  const uint32_t length = type == kTypeInt64 ? 20 : 480;
  Packet packet(out, sequence);
  packet.Text("def").Text("sbtest").Text("sbtest1").Text("sbtest1").Text(name).Text(name);
  packet.Int(0x0c, 1)
      .Int(kCharsetUtf8mb4, 2)
      .Int(length, 4)
      .Int(type, 1)
      .Int(0, 2)
      .Int(0, 1)
      .Int(0, 2);
}

// A statement with its replies, encoded once for each status that the server can be in.
struct Prepared {
  explicit Prepared(std::string_view sql) : statement(ClassifySql(sql)) {
    for (const bool in_transaction : {false, true}) {
      const uint16_t status = kAutocommit | (in_transaction ? kInTransaction : 0);
      for (const bool binary : {false, true}) {
        Execute(binary, status, result[binary][in_transaction]);
      }
    }
  }

  bool returns_rows() const { return statement.reply >= NullStatement::Reply::kText; }
  bool is_text() const { return statement.reply == NullStatement::Reply::kText; }

  void DescribeColumn(std::string& out, uint8_t& sequence) const {
    AppendColumn(out, sequence, is_text() ? "c" : "sum", is_text() ? kTypeString : kTypeInt64);
  }

  void Execute(bool binary, uint16_t status, std::string& out) const {
    uint8_t sequence = 1;
    if (!returns_rows()) {
      const bool changed = statement.reply == NullStatement::Reply::kChanged;
      return AppendOk(out, sequence, changed ? 1 : 0, status);
    }
    Packet(out, sequence).Int(1, 1);
    DescribeColumn(out, sequence);
    AppendEnd(out, sequence, status);
    for (int row = 0; row < statement.rows; ++row) {
      Packet packet(out, sequence);
      if (binary) packet.Int(0, 2);  // the row's mark, and no NULL
      if (is_text()) {
        packet.Text(NullText());
      } else if (binary) {
        packet.Int(1, 8);
      } else {
        packet.Text("1");
      }
    }
    AppendEnd(out, sequence, status);
  }

  NullStatement statement;
  // By binary or text, by in a transaction or not.
  std::array<std::array<std::string, 2>, 2> result;
};

class NullMysql final : public NullProtocol {
 public:
  explicit NullMysql(StatementCache<Prepared>& cache) : cache_(cache) {}

  void Greet(std::string& out) override {
    uint8_t sequence = 0;
    Packet packet(out, sequence);
    packet.Int(10, 1).Raw({"8.0.0-null\0", 11}).Int(1, 4);
    // Nonces, which nobody checks: every password is right.
    packet.Raw("12345678").Int(0, 1).Int(kCapabilities & 0xffff, 2).Int(kCharsetUtf8mb4, 1);
    packet.Int(kAutocommit, 2).Int(kCapabilities >> 16, 2).Int(21, 1).Int(0, 8).Int(0, 2);
    packet.Raw({"123456789012\0", 13}).Raw({"mysql_native_password\0", 22});
  }

  size_t Answer(std::string_view in, std::string& out) override {
    size_t used = 0;
    while (!ended_ && in.size() - used >= kHeader) {
      const std::string_view rest = in.substr(used);
      const auto byte = [&](size_t i) { return static_cast<uint8_t>(rest[i]); };
      const size_t length = kHeader + byte(0) + (size_t{byte(1)} << 8) + (size_t{byte(2)} << 16);
      if (rest.size() < length) break;
      const std::string_view body = rest.substr(kHeader, length - kHeader);
      if (!authenticated_) {
        authenticated_ = true;
        uint8_t sequence = byte(3) + 1;
        AppendOk(out, sequence, 0, kAutocommit);
      } else {
        AnswerCommand(body, out);
      }
      used += length;
    }
    return used;
  }

 private:
  void AnswerCommand(std::string_view body, std::string& out) {
    uint8_t sequence = 1;
    if (body.empty()) {
      ended_ = true;
      return;
    }
    const std::string_view rest = body.substr(1);
    switch (static_cast<uint8_t>(body[0])) {
      case kQuery:
        return Execute(cache_.GetOnce(rest), /*binary=*/false, out);
      case kPrepare:
        return Prepare(rest, out);
      case kExecute: {
        uint32_t id = 0;
        if (rest.size() >= sizeof id) std::memcpy(&id, rest.data(), sizeof id);
        if (id == 0 || id > prepared_.size()) break;
        return Execute(*prepared_[id - 1], /*binary=*/true, out);
      }
      case kInitDb:
      case kPing:
      case kReset:
        return AppendOk(out, sequence, 0, status());
      case kSendLongData:
      case kClose:
        return;  // these have no reply
      default:   // kQuit, or what is not spoken here
        break;
    }
    ended_ = true;
  }

  void Prepare(std::string_view sql, std::string& out) {
    const Prepared& prepared = cache_.Get(sql);
    prepared_.push_back(&prepared);
    const int parameters = prepared.statement.parameters;
    const int columns = prepared.returns_rows() ? 1 : 0;
    uint8_t sequence = 1;
    Packet(out, sequence)
        .Int(0, 1)
        .Int(prepared_.size(), 4)
        .Int(static_cast<uint64_t>(columns), 2)
        .Int(static_cast<uint64_t>(parameters), 2)
        .Int(0, 3);
    for (int i = 0; i < parameters; ++i) AppendColumn(out, sequence, "?", kTypeString);
    if (parameters > 0) AppendEnd(out, sequence, status());
    if (columns == 0) return;
    prepared.DescribeColumn(out, sequence);
    AppendEnd(out, sequence, status());
  }

  void Execute(const Prepared& prepared, bool binary, std::string& out) {
    ++statements_;
    if (prepared.statement.begins_transaction) in_transaction_ = true;
    if (prepared.statement.ends_transaction) in_transaction_ = false;
    out += prepared.result[binary][in_transaction_];
  }

  uint16_t status() const { return kAutocommit | (in_transaction_ ? kInTransaction : 0); }

  bool authenticated_ = false;
  bool in_transaction_ = false;
  StatementCache<Prepared>& cache_;
  std::vector<const Prepared*> prepared_;
};

class NullMysqlFamily final : public NullFamily {
 public:
  std::unique_ptr<NullProtocol> Accept() override { return std::make_unique<NullMysql>(cache_); }

 private:
  StatementCache<Prepared> cache_;
};

}  // namespace

std::unique_ptr<NullFamily> MakeNullMysql() {
  return std::make_unique<NullMysqlFamily>();
}

}  // namespace sysfleet
