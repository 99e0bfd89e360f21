// Executing statements allocates nothing: however many, the number of allocations is the same.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "agent/calibration/null_server.h"
#include "agent/database/factory.h"
#include "agent/engine/reactor.h"
#include "agent/engine/worker.h"
#include "common/base/status.h"
#include "coordinator/workload/workload.h"
#include "sysfleet/v1/workload.pb.h"
#include "tests/agent/engine/allocation/allocations.h"

namespace sysfleet {

thread_local int64_t allocations = 0;

}  // namespace sysfleet

namespace {

void* Allocate(std::size_t size) {
  ++sysfleet::allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return Allocate(size);
}
void* operator new[](std::size_t size) {
  return Allocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace sysfleet {
namespace {

struct Case {
  DriverFamily family;
  StatementPath path;
  std::string name;
};

class AllocationTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const bool is_mysql = GetParam().family == DriverFamily::kMysql;
    auto server = NullServer::Listen(
        {.family = is_mysql ? NullServerFamily::kMysql : NullServerFamily::kPostgresql});
    ASSERT_TRUE(server.ok()) << Message(server.status());
    server_ = *std::move(server);
    thread_ = std::thread([this] { server_->Run(); });
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    server_->Stop();
    thread_.join();
  }

  // Ends the loop with the worker.
  class Events final : public WorkerEvents {
   public:
    explicit Events(Reactor& reactor) : reactor_(reactor) {}
    void OnWorkerArmed(const absl::Status& status) override {
      EXPECT_TRUE(status.ok()) << Message(status);
      reactor_.Post([this] { worker->Wake(); });
    }
    void OnWorkerFailed(const absl::Status& status) override { ADD_FAILURE() << Message(status); }
    void OnWorkerEnded() override { reactor_.Stop(); }

    Worker* worker = nullptr;

   private:
    Reactor& reactor_;
  };

  // From connecting to closing, on this thread.
  int64_t AllocationsOf(const std::shared_ptr<const Program>& program, int64_t transactions) {
    Reactor reactor;
    const CellOrder order{.program = program,
                          .make_connection =
                              [](const ConnectionOptions& options, Poller& poller) {
                                return MakeConnection(GetParam().family, options, poller);
                              },
                          .nodes = {{.node = {"127.0.0.1", server_->port()},
                                     .address = "127.0.0.1",
                                     .database = "sbtest",
                                     .user = "sbtest",
                                     .path = GetParam().path}},
                          .connections = 1,
                          .fleet_connections = 1,
                          .transactions_limit = transactions};
    Window window(order.window_shape());
    WorkerContext context{
        .reactor = reactor, .order = order, .window = &window, .end_ns = INT64_MAX};
    Events events(reactor);
    const int64_t before = allocations;
    {
      Worker worker(context, events, 0);
      events.worker = &worker;
      reactor.Post([&] { worker.Arm(SteadyNanos() + 30 * kNanosPerSecond); });
      reactor.Run();
    }
    EXPECT_EQ(window.transactions[0].count(), static_cast<uint64_t>(transactions));
    return allocations - before;
  }

  std::unique_ptr<NullServer> server_;
  std::thread thread_;
};

TEST_P(AllocationTest, IsTheSameForAnyNumberOfTransactions) {
  const auto message = CompileWorkload(
      {.use = "oltp_read_write", .label = "rw"}, {.tables = 3, .table_size = 100'000},
      GetParam().family == DriverFamily::kMysql ? Driver::kMysql : Driver::kPostgresql);
  ASSERT_TRUE(message.ok()) << Message(message.status());
  const auto program = Program::Compile(*message);
  ASSERT_TRUE(program.ok()) << Message(program.status());
  AllocationsOf(*program, 200);  // what is allocated once in a thread's life
  const int64_t few = AllocationsOf(*program, 200);
  EXPECT_GT(few, 0);
  EXPECT_EQ(AllocationsOf(*program, 600), few);
}

INSTANTIATE_TEST_SUITE_P(
    Drivers, AllocationTest,
    testing::Values(Case{DriverFamily::kPostgresql, StatementPath::kDirectWherePossible,
                         "Postgresql"},
                    Case{DriverFamily::kPostgresql, StatementPath::kLibrary, "PostgresqlLibrary"},
                    Case{DriverFamily::kMysql, StatementPath::kDirectWherePossible, "Mysql"},
                    Case{DriverFamily::kMysql, StatementPath::kLibrary, "MysqlLibrary"}),
    [](const auto& driver) { return driver.param.name; });

}  // namespace
}  // namespace sysfleet
