#include "agent/engine/cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>

#include "common/base/clock.h"
#include "common/base/serial_queue.h"
#include "common/base/status.h"
#include "tests/agent/engine/fake_connection.h"
#include "tests/agent/engine/messages.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;

constexpr int kStatementsPerTransaction = 5;

// Runs a cell against the fake database and collects what it tells.
class CellTest : public testing::Test, public CellEvents {
 protected:
  CellTest() : reactors_(2, ReactorPool::Pinning::kNone) {
    order_.program = *Program::Compile(SmallWorkload());
    order_.make_connection = database_.factory();
    order_.nodes.push_back({.node = {"node", 1}});
    order_.connections = 6;
    order_.fleet_connections = 6;
    order_.seed = 1;
    order_.transactions_limit = 60;
  }

  void Arm() {
    sum_ = Window(order_.window_shape());
    OnQueue([this] {
      cell_ = std::make_unique<Cell>(
          reactors_, order_, [this](std::function<void()> call) { queue_.Post(std::move(call)); },
          *this);
      cell_->Arm();
    });
    Await([this] { return armed_; });
  }

  void Start() {
    OnQueue([this] { cell_->Start(SteadyNanos()); });
  }

  void AwaitDone() {
    Await([this] { return done_; });
    OnQueue([this] { cell_.reset(); });
  }

  void RunToEnd() {
    Arm();
    ASSERT_TRUE(armed_status_.ok()) << armed_status_;
    Start();
    AwaitDone();
  }

  template <typename Call>
  void OnQueue(Call call) {
    bool called = false;
    queue_.Post([&] {
      call();
      const std::lock_guard lock(mutex_);
      called = true;
      changed_.notify_all();
    });
    Await([&called] { return called; });
  }

  void Await(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, std::chrono::minutes(1), condition));
  }

  void OnCellArmed(const absl::Status& status) override {
    const std::lock_guard lock(mutex_);
    armed_ = true;
    armed_status_ = status;
    changed_.notify_all();
  }
  void OnCellStarted(int64_t /*began_ns*/) override {
    const std::lock_guard lock(mutex_);
    started_ = true;
    changed_.notify_all();
  }
  void OnCellWindow(const Window& window) override {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(window.number, windows_);
    ++windows_;
    sum_.Add(window);
    per_window_.push_back(window.transactions[0].count());
    changed_.notify_all();
  }
  void OnCellDone(const CellEnd& end) override {
    const std::lock_guard lock(mutex_);
    done_ = true;
    end_ = end;
    changed_.notify_all();
  }

  uint64_t transactions() const { return sum_.transactions[0].count(); }

  FakeDatabase database_;
  ReactorPool reactors_;
  CellOrder order_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool armed_ = false;
  bool started_ = false;
  bool done_ = false;
  absl::Status armed_status_;
  CellEnd end_;
  uint32_t windows_ = 0;
  std::vector<uint64_t> per_window_;
  Window sum_{{1, 3}};
  std::unique_ptr<Cell> cell_;
  SerialQueue queue_;
};

TEST_F(CellTest, ExecutesExactlyTheTransactionsOfItsLimit) {
  RunToEnd();
  EXPECT_TRUE(end_.status.ok()) << end_.status;
  EXPECT_EQ(transactions(), 60U);
  EXPECT_EQ(sum_.statements[0].count(), 60U);
  EXPECT_EQ(sum_.statements[1].count(), 180U);
  EXPECT_EQ(sum_.statements[2].count(), 60U);
  EXPECT_EQ(sum_.reads, 300U);
  EXPECT_EQ(database_.executes(), 60 * kStatementsPerTransaction);
  EXPECT_EQ(end_.unfinished, 0U);
  EXPECT_GT(end_.elapsed_ns, 0);
  EXPECT_EQ(database_.open(), 0);
}

TEST_F(CellTest, TakesItsShareOfAFleetsTransactions) {
  order_.connections = 2;
  order_.first_connection = 4;
  order_.transactions_limit = 64;  // 11, 11, 11, 11, 10, 10
  RunToEnd();
  EXPECT_EQ(transactions(), 20U);
}

TEST_F(CellTest, CountsWhatTheServerAnswered) {
  database_.on_execute = [](int, const std::string& sql) {
    if (sql == "BEGIN") return FakeAnswer{.kind = OutcomeKind::kNothing};
    if (sql == "COMMIT") return FakeAnswer{.kind = OutcomeKind::kChanged};
    return FakeAnswer{};
  };
  RunToEnd();
  EXPECT_EQ(sum_.reads, 180U);
  EXPECT_EQ(sum_.writes, 60U);
  EXPECT_EQ(sum_.others, 60U);
}

TEST_F(CellTest, EndsAfterItsWindowsAndKeepsWhatCameLaterApart) {
  order_.transactions_limit = 0;
  order_.warmup_windows = 1;
  order_.measured_windows = 1;
  RunToEnd();
  EXPECT_TRUE(end_.status.ok());
  EXPECT_EQ(windows_, 3U);
  EXPECT_GT(per_window_[0], 0U);
  EXPECT_GT(per_window_[1], 0U);
  // At most the one transaction that each connection had begun.
  EXPECT_LE(per_window_[2], 6U);
}

TEST_F(CellTest, RollsBackAndTriesAgainWhatThePolicyCovers) {
  order_.retry.codes = {"40001"};
  database_.on_execute = [](int n, const std::string& sql) {
    if (n % 7 == 0 && sql.starts_with("SELECT")) {
      return FakeAnswer{.kind = OutcomeKind::kError, .code = "40001"};
    }
    return FakeAnswer{};
  };
  RunToEnd();
  EXPECT_TRUE(end_.status.ok()) << end_.status;
  EXPECT_EQ(transactions(), 60U);
  uint64_t errors = 0;
  for (const auto& [key, error] : sum_.errors) {
    EXPECT_EQ(key.first, "40001");
    errors += error.count;
  }
  EXPECT_GT(errors, 0U);
  EXPECT_EQ(sum_.retries, errors);
  EXPECT_EQ(database_.queries().size(), errors);
  EXPECT_EQ(database_.queries().front(), "ROLLBACK");
  // An error is no completed statement.
  EXPECT_EQ(sum_.reads + errors, static_cast<uint64_t>(database_.executes()));
}

TEST_F(CellTest, EndsWithAnErrorThatThePolicyDoesNotCover) {
  order_.transactions_limit = 0;
  order_.measured_windows = 600;
  database_.on_execute = [](int n, const std::string&) {
    return n == 50 ? FakeAnswer{.kind = OutcomeKind::kError, .code = "42P01"} : FakeAnswer{};
  };
  RunToEnd();
  EXPECT_THAT(Message(end_.status), HasSubstr("database node:1: "));
  EXPECT_THAT(Message(end_.status), HasSubstr("(42P01)"));
  EXPECT_EQ(sum_.errors.size(), 1U);
  EXPECT_EQ(database_.open(), 0);
}

TEST_F(CellTest, OpensALostConnectionAgainAndCountsTheTransactionAsFailed) {
  database_.on_execute = [](int n, const std::string&) {
    return n == 50 ? FakeAnswer{.kind = OutcomeKind::kLost, .code = "57P01"} : FakeAnswer{};
  };
  RunToEnd();
  EXPECT_TRUE(end_.status.ok()) << end_.status;
  EXPECT_EQ(transactions(), 60U);
  EXPECT_EQ(sum_.reconnects, 1U);
  EXPECT_EQ(sum_.retries, 0U);
  EXPECT_EQ(database_.connects(), 7);
  ASSERT_EQ(sum_.errors.size(), 1U);
  EXPECT_EQ(sum_.errors.begin()->first.first, "57P01");
}

TEST_F(CellTest, KeepsTryingToOpenWhileTheDatabaseIsAway) {
  database_.on_connect = [](int n) {
    // The first six arm the cell; then the database is away for three tries.
    return n > 6 && n <= 9 ? FakeAnswer{.kind = OutcomeKind::kLost, .code = "lost"} : FakeAnswer{};
  };
  database_.on_execute = [](int n, const std::string&) {
    return n == 50 ? FakeAnswer{.kind = OutcomeKind::kLost, .code = "lost"} : FakeAnswer{};
  };
  RunToEnd();
  EXPECT_EQ(transactions(), 60U);
  EXPECT_EQ(sum_.reconnects, 1U);
  const auto connect = sum_.errors.find({"connect", Window::kConnecting});
  ASSERT_NE(connect, sum_.errors.end());
  EXPECT_EQ(connect->second.count, 3U);
}

TEST_F(CellTest, GivesUpATransactionAfterSoManyTries) {
  order_.retry.all = true;
  order_.retry.retries_max = 2;
  order_.connections = order_.fleet_connections = 1;
  order_.transactions_limit = 3;
  // The first transaction fails three times, the second once.
  database_.on_execute = [](int n, const std::string& sql) {
    if (sql == "COMMIT" && n <= 20) return FakeAnswer{.kind = OutcomeKind::kError, .code = "1213"};
    return FakeAnswer{};
  };
  RunToEnd();
  EXPECT_EQ(transactions(), 3U);
  EXPECT_EQ(sum_.retries, 3U);
  EXPECT_EQ(sum_.failed, 1U);
  EXPECT_EQ(sum_.errors.begin()->second.count, 4U);
}

TEST_F(CellTest, OpensConnectionsAnewAfterSoManyTransactions) {
  order_.reconnect_every = 4;  // of the ten of each connection: twice
  RunToEnd();
  EXPECT_EQ(transactions(), 60U);
  EXPECT_EQ(sum_.reconnects, 12U);
  EXPECT_EQ(database_.connects(), 18);
  EXPECT_TRUE(sum_.errors.empty());
}

TEST_F(CellTest, BeginsTheTransactionsOfAnOpenLoopAtTheirTimes) {
  order_.open_loop = {.rate_per_s = 60, .even = true};
  order_.transactions_limit = 0;
  order_.measured_windows = 1;
  RunToEnd();
  EXPECT_EQ(transactions() + end_.not_begun, 60U);
  EXPECT_EQ(sum_.responses[0].count(), transactions());
  EXPECT_EQ(sum_.waits[0].count(), transactions());
  EXPECT_GE(sum_.responses[0].min_ns(), 0);
  EXPECT_EQ(end_.warmup_left_out, 0U);
}

TEST_F(CellTest, CountsWhatAnOpenLoopCouldNotBegin) {
  order_.open_loop = {.rate_per_s = 6'000, .even = true};
  order_.transactions_limit = 0;
  order_.warmup_windows = 1;
  order_.measured_windows = 1;
  order_.drain = std::chrono::milliseconds(0);
  // The database answers ten times and then never again.
  database_.on_execute = [](int n, const std::string&) { return FakeAnswer{.hangs = n > 10}; };
  RunToEnd();
  // Of the thousand that each connection had in each second, it began one, and another one where
  // the database had answered the first.
  EXPECT_EQ(end_.warmup_left_out + transactions(), 5'994U);
  EXPECT_EQ(end_.not_begun, 6'000U);
  EXPECT_EQ(end_.unfinished, 6U);
}

// One transaction: a row into table 1, and its end.
v1::Workload Inserting(const std::string& end) {
  v1::Workload workload;
  workload.set_name("inserting");
  workload.set_tables(2);
  const uint32_t table = AddUniform(workload, "table", 1, 1);
  v1::Transaction& transaction = *workload.add_transactions();
  transaction.set_weight(1);
  transaction.add_steps()->set_draw(table);
  for (const std::string& sql : {std::string("BEGIN"), std::string("INSERT INTO t{table}"), end}) {
    transaction.add_steps()->set_execute(AddStatement(workload, sql, sql));
  }
  workload.mutable_statements(1)->set_table_variable(table);
  workload.mutable_statements(1)->set_effect(v1::EFFECT_INSERT_ROW);
  workload.mutable_statements(2)->set_rolls_back(end == "ROLLBACK");
  return workload;
}

class EffectTest : public CellTest {
 protected:
  void Use(const std::string& end) {
    order_.program = *Program::Compile(Inserting(end));
    database_.on_execute = [](int, const std::string& sql) {
      return FakeAnswer{.kind = sql.starts_with("INSERT") ? OutcomeKind::kChanged
                                                          : OutcomeKind::kNothing};
    };
  }
};

TEST_F(EffectTest, CountsRowsOfCommittedTransactions) {
  Use("COMMIT");
  RunToEnd();
  EXPECT_EQ(sum_.effects[0].inserted, 60U);
  EXPECT_TRUE(sum_.effects[1].empty());
  EXPECT_TRUE(sum_.unknown_effects[0].empty());
}

TEST_F(EffectTest, CountsNoRowsThatWereRolledBack) {
  Use("ROLLBACK");
  RunToEnd();
  EXPECT_TRUE(sum_.effects[0].empty());
  EXPECT_EQ(sum_.passes[0].rolled_back, 60U);
  EXPECT_EQ(transactions(), 0U);
}

TEST_F(EffectTest, KeepsRowsApartWhoseCommitWasNotAnswered) {
  Use("COMMIT");
  database_.on_execute = [](int n, const std::string& sql) {
    if (sql == "COMMIT" && n > 90) return FakeAnswer{.kind = OutcomeKind::kLost, .code = "lost"};
    return FakeAnswer{.kind = sql.starts_with("INSERT") ? OutcomeKind::kChanged
                                                        : OutcomeKind::kNothing};
  };
  order_.transactions_limit = 0;
  order_.measured_windows = 1;
  RunToEnd();
  EXPECT_EQ(sum_.effects[0].inserted, sum_.transactions[0].count());
  EXPECT_GE(sum_.unknown_effects[0].inserted, 6U);
  // And those that the end of the cell cut off.
  EXPECT_GE(sum_.unknown_effects[0].inserted, sum_.failed);
}

TEST_F(CellTest, SaysWhyItCannotBeArmed) {
  database_.on_connect = [](int n) {
    return n == 4 ? FakeAnswer{.kind = OutcomeKind::kLost, .code = "28P01"} : FakeAnswer{};
  };
  Arm();
  EXPECT_THAT(Message(armed_status_), HasSubstr("database node:1: connecting: "));
  EXPECT_THAT(Message(armed_status_), HasSubstr("(28P01)"));
  AwaitDone();
  EXPECT_EQ(windows_, 0U);
  EXPECT_EQ(database_.open(), 0);
}

TEST_F(CellTest, GivesUpArmingAtTheTimeLimit) {
  order_.connect_timeout = std::chrono::milliseconds(50);
  database_.on_connect = [](int n) { return FakeAnswer{.hangs = n == 3}; };
  Arm();
  EXPECT_THAT(Message(armed_status_), HasSubstr("no answer within the time limit"));
  AwaitDone();
}

TEST_F(CellTest, ArmsMoreConnectionsThanItOpensAtOnce) {
  order_.connections = 1000;
  order_.fleet_connections = 1000;
  order_.transactions_limit = 1000;
  RunToEnd();
  EXPECT_EQ(database_.connects(), 1000);
  EXPECT_EQ(transactions(), 1000U);
}

TEST_F(CellTest, StopsWhenTold) {
  order_.transactions_limit = 0;
  order_.measured_windows = 600;
  Arm();
  Start();
  Await([this] { return started_; });
  OnQueue([this] { cell_->Stop(std::chrono::seconds(10)); });
  AwaitDone();
  EXPECT_TRUE(end_.status.ok());
  EXPECT_EQ(end_.unfinished, 0U);
  EXPECT_EQ(database_.open(), 0);
}

TEST_F(CellTest, CutsOffWhatHangsAfterTheGrace) {
  order_.transactions_limit = 0;
  order_.measured_windows = 600;
  database_.on_execute = [](int n, const std::string&) { return FakeAnswer{.hangs = n >= 100}; };
  Arm();
  Start();
  Await([this] { return started_; });
  OnQueue([this] { cell_->Stop(std::chrono::milliseconds(20)); });
  AwaitDone();
  EXPECT_LE(end_.unfinished, 6U);
  EXPECT_EQ(database_.open(), 0);
}

TEST_F(CellTest, ALaterStopDoesNotPutTheCutOffOff) {
  order_.transactions_limit = 0;
  order_.measured_windows = 600;
  database_.on_execute = [](int, const std::string&) { return FakeAnswer{.hangs = true}; };
  Arm();
  Start();
  Await([this] { return started_; });
  OnQueue([this] { cell_->Stop(std::chrono::milliseconds(20)); });
  OnQueue([this] { cell_->Stop(std::chrono::minutes(10)); });
  AwaitDone();
  EXPECT_EQ(end_.unfinished, 6U);
  EXPECT_TRUE(sum_.errors.empty());
}

TEST_F(CellTest, StopsBetweenTheOrderToStartAndTheStart) {
  Arm();
  OnQueue([this] { cell_->Start(SteadyNanos() + 200'000'000); });
  OnQueue([this] { cell_->Stop(std::chrono::milliseconds(0)); });
  AwaitDone();
  EXPECT_EQ(database_.executes(), 0);
  // The moment of the start passes without the cell, which is gone.
  bool passed = false;
  reactors_.at(0).Post([&] {
    reactors_.at(0).CallAt(SteadyNanos() + 300'000'000, [&] {
      const std::lock_guard lock(mutex_);
      passed = true;
      changed_.notify_all();
    });
  });
  Await([&] { return passed; });
  EXPECT_FALSE(started_);
  EXPECT_EQ(windows_, 0U);
}

TEST_F(CellTest, StopsBeforeItsStart) {
  Arm();
  OnQueue([this] { cell_->Stop(std::chrono::milliseconds(0)); });
  AwaitDone();
  EXPECT_EQ(database_.executes(), 0);
  EXPECT_EQ(windows_, 0U);
}

}  // namespace
}  // namespace sysfleet
