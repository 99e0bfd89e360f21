#include "tests/agent/engine/fake_connection.h"

#include <utility>

namespace sysfleet {

class FakeConnection final : public Connection {
 public:
  FakeConnection(FakeDatabase& database, Poller& poller)
      : Connection(poller), database_(database), reactor_(static_cast<Reactor&>(poller)) {}
  ~FakeConnection() override { Disconnect(); }

  void OnReady(Interest /*ready*/) override {}
  bool InTransaction() const override { return in_transaction_; }
  std::string ServerVersion() const override { return "Fake 1"; }

 protected:
  void BeginConnect() override {
    Answer(Next(database_.connects_, [&](int n) { return database_.on_connect(n); }), [this] {
      const std::lock_guard lock(database_.mutex_);
      ++database_.open_;
      connected_ = true;
    });
  }
  void BeginPrepare(std::span<const StatementSpec> statements) override {
    statements_ = statements;
    Answer({.kind = OutcomeKind::kNothing}, [] {});
  }
  void BeginExecute(size_t statement, std::span<const Value> /*values*/) override {
    const std::string& sql = statements_[statement].sql;
    if (sql == "BEGIN") in_transaction_ = true;
    if (sql == "COMMIT") in_transaction_ = false;
    Answer(Next(database_.executes_, [&](int n) { return database_.on_execute(n, sql); }), [] {});
  }
  void BeginExecuteText(std::string_view sql) override {
    Answer(
        Next(database_.executes_, [&](int n) { return database_.on_execute(n, std::string(sql)); }),
        [] {});
  }
  void BeginQuery(std::string_view sql) override {
    {
      const std::lock_guard lock(database_.mutex_);
      database_.queries_.emplace_back(sql);
    }
    in_transaction_ = false;
    Answer({.kind = OutcomeKind::kNothing}, [] {});
  }
  void BeginCopy(std::string_view /*sql*/, CopySource& /*source*/) override {}
  void Disconnect() override {
    reactor_.Cancel(timer_);
    if (!std::exchange(connected_, false)) return;
    const std::lock_guard lock(database_.mutex_);
    --database_.open_;
  }

 private:
  template <typename Decide>
  FakeAnswer Next(int& counter, Decide decide) {
    const std::lock_guard lock(database_.mutex_);
    return decide(++counter);
  }

  // From the loop, as a server's answer comes.
  void Answer(FakeAnswer answer, std::function<void()> on_success) {
    if (answer.hangs) return;
    timer_ = reactor_.CallAt(0, [this, answer = std::move(answer), on_success] {
      if (answer.kind < OutcomeKind::kError) {
        on_success();
        Complete(answer.kind, 1);
      } else {
        if (answer.kind == OutcomeKind::kLost) Disconnect();
        Fail(answer.kind, answer.code, "the fake says so");
      }
    });
  }

  FakeDatabase& database_;
  Reactor& reactor_;
  std::span<const StatementSpec> statements_;
  Reactor::TimerId timer_{};
  bool in_transaction_ = false;
  bool connected_ = false;
};

ConnectionFactory FakeDatabase::factory() {
  return [this](const ConnectionOptions& /*options*/, Poller& poller) {
    return std::make_unique<FakeConnection>(*this, poller);
  };
}

}  // namespace sysfleet
