#include <array>
#include <cstring>
#include <initializer_list>
#include <map>
#include <utility>

#include "agent/calibration/null_protocol.h"
#include "agent/calibration/null_statement.h"
#include "agent/calibration/statement_cache.h"

namespace sysfleet {
namespace {

constexpr uint32_t kVersion3 = 3 << 16;
constexpr uint32_t kCancelRequest = 80877102;
constexpr uint32_t kSslRequest = 80877103;
constexpr uint32_t kGssRequest = 80877104;
constexpr size_t kMessageMax = 1 << 24;

uint32_t ReadInt32(std::string_view in) {
  uint32_t number = 0;
  std::memcpy(&number, in.data(), sizeof number);
  return __builtin_bswap32(number);
}

uint16_t ReadInt16(std::string_view in) {
  uint16_t number = 0;
  std::memcpy(&number, in.data(), sizeof number);
  return __builtin_bswap16(number);
}

// Builds one message; its length is filled in at the end of its life.
class Message {
 public:
  Message(std::string& out, char type) : out_(out) {
    out_ += type;
    begin_ = out_.size();
    Int32(0);
  }
  ~Message() {
    const uint32_t length = __builtin_bswap32(static_cast<uint32_t>(out_.size() - begin_));
    std::memcpy(out_.data() + begin_, &length, sizeof length);
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  Message& Byte(char byte) { return Raw({&byte, 1}); }
  Message& Int16(uint16_t number) {
    return Byte(static_cast<char>(number >> 8)).Byte(static_cast<char>(number));
  }
  Message& Int32(uint32_t number) {
    return Int16(static_cast<uint16_t>(number >> 16)).Int16(static_cast<uint16_t>(number));
  }
  Message& Text(std::string_view text) { return Raw(text).Byte('\0'); }
  Message& Raw(std::string_view bytes) {
    out_ += bytes;
    return *this;
  }

 private:
  std::string& out_;
  size_t begin_;
};

enum Format : uint8_t { kText, kBinary };

// A statement with its replies, encoded once.
struct Prepared {
  explicit Prepared(std::string_view sql) : statement(ClassifySql(sql)) {
    for (const Format format : {kText, kBinary}) {
      Describe(format, description[format]);
      Execute(format, result[format]);
    }
  }

  bool returns_rows() const { return statement.reply >= NullStatement::Reply::kText; }

  void Describe(Format format, std::string& out) const {
    if (!returns_rows()) {
      Message(out, 'n');
      return;
    }
    const bool is_text = statement.reply == NullStatement::Reply::kText;
    Message message(out, 'T');
    message.Int16(1).Text(is_text ? "c" : "sum").Int32(0).Int16(0);
    // The types bpchar and int8.
    message.Int32(is_text ? 1042 : 20).Int16(is_text ? 0xffff : 8);
    message.Int32(is_text ? 124 : 0xffffffff).Int16(format);
  }

  void Execute(Format format, std::string& out) const {
    using namespace std::string_view_literals;
    const bool is_text = statement.reply == NullStatement::Reply::kText;
    const std::string_view number = format == kBinary ? "\0\0\0\0\0\0\0\1"sv : "1"sv;
    const std::string_view value = is_text ? NullText() : number;
    for (int row = 0; row < statement.rows; ++row) {
      Message(out, 'D').Int16(1).Int32(static_cast<uint32_t>(value.size())).Raw(value);
    }
    Message(out, 'C').Text(statement.tag);
  }

  NullStatement statement;
  std::array<std::string, 2> description;
  std::array<std::string, 2> result;
};

// A message's fields, in order. Reading beyond its end gives zeros and is noted.
class Fields {
 public:
  explicit Fields(std::string_view body) : rest_(body) {}

  std::string_view Text() {
    const size_t end = rest_.find('\0');
    if (end == std::string_view::npos) {
      good_ = false;
      return {};
    }
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  uint16_t Int16() { return ReadInt16(Raw(2)); }
  uint32_t Int32() { return ReadInt32(Raw(4)); }
  char Byte() { return Raw(1)[0]; }
  std::string_view Raw(size_t size) {
    static constexpr char kZeros[4] = {};
    if (size > rest_.size()) {
      good_ = false;
      return {kZeros, sizeof kZeros};
    }
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }
  bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

class NullPostgresql final : public NullProtocol {
 public:
  explicit NullPostgresql(StatementCache<Prepared>& cache) : cache_(cache) {}

  void Greet(std::string&) override {}

  size_t Answer(std::string_view in, std::string& out) override {
    size_t used = 0;
    while (!ended_) {
      const std::string_view rest = in.substr(used);
      const size_t header = started_ ? 5 : 4;
      if (rest.size() < header) break;
      const size_t length = ReadInt32(rest.substr(header - 4)) + header - 4;
      if (length < header || length > kMessageMax) {
        ended_ = true;
        break;
      }
      if (rest.size() < length) break;
      const std::string_view body = rest.substr(header, length - header);
      if (started_) {
        AnswerMessage(rest[0], body, out);
      } else {
        AnswerStartup(body, out);
      }
      used += length;
    }
    return used;
  }

 private:
  void AnswerStartup(std::string_view body, std::string& out) {
    const uint32_t code = body.size() < 4 ? 0 : ReadInt32(body);
    if (code == kSslRequest || code == kGssRequest) {
      out += 'N';
      return;
    }
    if (code != kVersion3 || code == kCancelRequest) {
      ended_ = true;
      return;
    }
    started_ = true;
    Message(out, 'R').Int32(0);
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
             {"server_version", "15.0"},
             {"server_encoding", "UTF8"},
             {"client_encoding", "UTF8"},
             {"integer_datetimes", "on"},
             {"standard_conforming_strings", "on"}}) {
      Message(out, 'S').Text(name).Text(value);
    }
    Message(out, 'K').Int32(1).Int32(1);
    Ready(out);
  }

  void AnswerMessage(char type, std::string_view body, std::string& out) {
    Fields fields(body);
    switch (type) {
      case 'B':
        Bind(fields, out);
        break;
      case 'D':
        Describe(fields, out);
        break;
      case 'E':
        if (portal_ == nullptr) return Fail("there is no portal", out);
        Execute(*portal_, portal_format_, out);
        break;
      case 'S':
        failed_ = false;
        Ready(out);
        break;
      case 'P': {
        const std::string name(fields.Text());
        statements_by_name_.insert_or_assign(name, &cache_.Get(fields.Text()));
        Message(out, '1');
        break;
      }
      case 'Q': {
        const Prepared& prepared = cache_.GetOnce(fields.Text());
        if (prepared.returns_rows()) out += prepared.description[kText];
        Execute(prepared, kText, out);
        Ready(out);
        break;
      }
      case 'C':
        Message(out, '3');
        break;
      case 'H':
        break;
      default:  // 'X' is goodbye
        ended_ = true;
    }
    if (!fields.good()) ended_ = true;
  }

  void Bind(Fields& fields, std::string& out) {
    fields.Text();  // the portal: clients use the unnamed one
    const auto found = statements_by_name_.find(fields.Text());
    for (uint16_t formats = fields.Int16(); formats > 0 && fields.good(); --formats) fields.Int16();
    for (uint16_t values = fields.Int16(); values > 0 && fields.good(); --values) {
      const uint32_t length = fields.Int32();
      if (length != 0xffffffff) fields.Raw(length);
    }
    const bool has_format = fields.Int16() > 0;
    portal_format_ = has_format && fields.Int16() == kBinary ? kBinary : kText;
    if (found == statements_by_name_.end()) {
      portal_ = nullptr;
      return Fail("there is no such prepared statement", out);
    }
    portal_ = found->second;
    Message(out, '2');
  }

  void Describe(Fields& fields, std::string& out) {
    if (fields.Byte() == 'P') {
      if (portal_ == nullptr) return Fail("there is no portal", out);
      out += portal_->description[portal_format_];
      return;
    }
    const auto found = statements_by_name_.find(fields.Text());
    if (found == statements_by_name_.end()) {
      return Fail("there is no such prepared statement", out);
    }
    const int parameters = found->second->statement.parameters;
    {
      Message message(out, 't');
      message.Int16(static_cast<uint16_t>(parameters));
      for (int i = 0; i < parameters; ++i) message.Int32(23);  // int4
    }
    out += found->second->description[kText];
  }

  void Execute(const Prepared& prepared, Format format, std::string& out) {
    ++statements_;
    if (prepared.statement.begins_transaction) in_transaction_ = true;
    if (prepared.statement.ends_transaction) in_transaction_ = false;
    out += prepared.result[format];
  }

  // Once until the next synchronisation, as the protocol wants it.
  void Fail(std::string_view text, std::string& out) {
    if (std::exchange(failed_, true)) return;
    Message(out, 'E')
        .Byte('S')
        .Text("ERROR")
        .Byte('V')
        .Text("ERROR")
        .Byte('C')
        .Text("26000")
        .Byte('M')
        .Text(text)
        .Byte('\0');
  }

  void Ready(std::string& out) const { Message(out, 'Z').Byte(in_transaction_ ? 'T' : 'I'); }

  bool started_ = false;
  bool in_transaction_ = false;
  bool failed_ = false;
  StatementCache<Prepared>& cache_;
  std::map<std::string, const Prepared*, std::less<>> statements_by_name_;
  const Prepared* portal_ = nullptr;
  Format portal_format_ = kText;
};

class NullPostgresqlFamily final : public NullFamily {
 public:
  std::unique_ptr<NullProtocol> Accept() override {
    return std::make_unique<NullPostgresql>(cache_);
  }

 private:
  StatementCache<Prepared> cache_;
};

}  // namespace

std::unique_ptr<NullFamily> MakeNullPostgresql() {
  return std::make_unique<NullPostgresqlFamily>();
}

}  // namespace sysfleet
