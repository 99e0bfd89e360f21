#include "tests/bench/workbench/workbench.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/calibration/null_protocol.h"
#include "agent/database/mysql/wire.h"
#include "agent/database/postgresql/wire.h"
#include "agent/engine/cell_order.h"
#include "agent/engine/reactor.h"
#include "agent/engine/worker.h"
#include "common/base/status.h"
#include "coordinator/workload/workload.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

using namespace std::string_literals;

[[noreturn]] void Die(std::string_view what) {
  fmt::print(stderr, "workbench: {}\n", what);
  std::abort();
}

std::shared_ptr<const Program> CompileBuiltin(const std::string& workload, Driver driver) {
  auto message = CompileWorkload({.use = workload, .label = workload},
                                 {.tables = 4, .table_size = 100'000}, driver);
  if (!message.ok()) Die(Message(message.status()));
  // As orders to agents are.
  for (v1::Statement& statement : *message->mutable_statements()) statement.clear_effect();
  auto program = Program::Compile(*message);
  if (!program.ok()) Die(Message(program.status()));
  return *std::move(program);
}

// Ends every operation within the call that begins it.
class MemoryConnection : public Connection {
 public:
  explicit MemoryConnection(Poller& poller) : Connection(poller) {}

  void OnReady(Interest /*ready*/) override {}
  bool InTransaction() const override { return false; }
  std::string ServerVersion() const override { return "memory"; }

 protected:
  void BeginConnect() override { Complete(OutcomeKind::kNothing, 0); }
  void BeginPrepare(std::span<const StatementSpec> statements) override {
    statements_ = statements;
    Complete(OutcomeKind::kNothing, 0);
  }
  void BeginExecute(size_t /*statement*/, std::span<const Value> /*values*/) override {
    Complete(OutcomeKind::kRows, 1);
  }
  void BeginExecuteText(std::string_view /*sql*/) override { Complete(OutcomeKind::kRows, 1); }
  void BeginQuery(std::string_view /*sql*/) override { Complete(OutcomeKind::kNothing, 0); }
  void BeginCopy(std::string_view /*sql*/, CopySource& /*source*/) override {}
  void Disconnect() override {}

  std::span<const StatementSpec> statements_;
};

// Encodes each statement and reads a reply to it, which the null server's protocol has given once.
template <typename Codec>
class WireConnection final : public MemoryConnection {
 public:
  using MemoryConnection::MemoryConnection;

 protected:
  void BeginPrepare(std::span<const StatementSpec> statements) override {
    replies_ = Codec::Replies(statements);
    MemoryConnection::BeginPrepare(statements);
  }
  void BeginExecute(size_t statement, std::span<const Value> values) override {
    message_.clear();
    Codec::Encode(statement, statements_[statement].parameters, values, message_);
    reader_.Begin();
    if (reader_.Read(replies_[statement]) != ReplyState::kWhole) Die("a reply was not understood");
    Complete(reader_.reply().kind, reader_.reply().rows);
  }

 private:
  typename Codec::Reader reader_;
  std::vector<std::string> replies_;
  std::string message_;
};

// What the null server says to `message`.
std::string Ask(NullProtocol& server, std::string_view message) {
  std::string reply;
  if (server.Answer(message, reply) != message.size()) Die("a message was not understood");
  return reply;
}

std::vector<Value> NoValues(const StatementSpec& statement) {
  return std::vector<Value>(statement.parameters.size());
}

struct PostgresqlCodec {
  using Reader = PostgresqlReplyReader;

  static void Encode(size_t statement, std::span<const ParameterType> types,
                     std::span<const Value> values, std::string& out) {
    AppendPostgresqlExecute(fmt::format_int(statement).c_str(), types, values, out);
  }

  static std::vector<std::string> Replies(std::span<const StatementSpec> statements) {
    using namespace std::string_view_literals;
    const auto family = MakeNullPostgresql();
    const auto server = family->Accept();
    Ask(*server, "\0\0\0\x9\0\3\0\0\0"sv);
    std::vector<std::string> replies;
    for (size_t i = 0; i < statements.size(); ++i) {
      const std::string name = std::to_string(i);
      std::string parse = "P\0\0\0"s + static_cast<char>(0);
      parse.append(name).append(1, '\0').append(statements[i].sql).append("\0\0\0"sv);
      const size_t length = parse.size() - 1;
      parse[3] = static_cast<char>(length >> 8);
      parse[4] = static_cast<char>(length);
      Ask(*server, parse);
      std::string execute;
      AppendPostgresqlExecute(name, statements[i].parameters, NoValues(statements[i]), execute);
      replies.push_back(Ask(*server, execute));
    }
    return replies;
  }
};

struct MysqlCodec {
  using Reader = MysqlReplyReader;

  static void Encode(size_t statement, std::span<const ParameterType> types,
                     std::span<const Value> values, std::string& out) {
    if (!AppendMysqlExecute(static_cast<uint32_t>(statement + 1), types, values,
                            /*with_types=*/false, out)) {
      Die("a statement is too long");
    }
  }

  static std::vector<std::string> Replies(std::span<const StatementSpec> statements) {
    const auto family = MakeNullMysql();
    const auto server = family->Accept();
    Ask(*server, "\1\0\0\1x"s);  // whoever it is
    std::vector<std::string> replies;
    for (size_t i = 0; i < statements.size(); ++i) {
      std::string prepare = "\0\0\0\0\x16"s + statements[i].sql;
      const size_t length = prepare.size() - 4;
      prepare[0] = static_cast<char>(length);
      prepare[1] = static_cast<char>(length >> 8);
      Ask(*server, prepare);
      std::string execute;
      Encode(i, statements[i].parameters, NoValues(statements[i]), execute);
      replies.push_back(Ask(*server, execute));
    }
    return replies;
  }
};

ConnectionFactory FactoryOf(Wire wire) {
  return [wire](const ConnectionOptions&, Poller& poller) -> std::unique_ptr<Connection> {
    switch (wire) {
      case Wire::kNone:
        return std::make_unique<MemoryConnection>(poller);
      case Wire::kPostgresql:
        return std::make_unique<WireConnection<PostgresqlCodec>>(poller);
      case Wire::kMysql:
        return std::make_unique<WireConnection<MysqlCodec>>(poller);
    }
    return nullptr;
  };
}

class NoEvents final : public WorkerEvents {
 public:
  void OnWorkerArmed(const absl::Status& status) override {
    if (!status.ok()) Die(Message(status));
  }
  void OnWorkerFailed(const absl::Status& status) override { Die(Message(status)); }
  void OnWorkerEnded() override {}
};

}  // namespace

Workbench::Workbench(const std::string& workload, Wire wire)
    : program_(
          CompileBuiltin(workload, wire == Wire::kMysql ? Driver::kMysql : Driver::kPostgresql)),
      wire_(wire),
      window_({program_->transactions().size(), program_->statements().size(),
               program_->tables_with_effects()}) {}

uint64_t Workbench::Run(int64_t transactions) {
  Reactor reactor;
  const CellOrder order{.program = program_,
                        .make_connection = FactoryOf(wire_),
                        .nodes = {ConnectionOptions{}},
                        .connections = 1,
                        .fleet_connections = 1,
                        .transactions_limit = transactions};
  WorkerContext context{
      .reactor = reactor, .order = order, .window = &window_, .end_ns = INT64_MAX};
  NoEvents events;
  Worker worker(context, events, 0);
  worker.Arm(INT64_MAX);
  const uint64_t before = window_.reads + window_.writes + window_.others;
  worker.Wake();
  if (!worker.ended()) Die("the worker waits");
  return window_.reads + window_.writes + window_.others - before;
}

}  // namespace sysfleet
