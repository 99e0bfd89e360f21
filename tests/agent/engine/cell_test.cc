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
  Window sum_{1, 3};
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
