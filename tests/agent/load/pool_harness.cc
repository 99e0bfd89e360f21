#include "tests/agent/load/pool_harness.h"

#include <gtest/gtest.h>

#include <utility>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {

PoolHarness::PoolHarness(DriverFamily family, const ConnectionOptions& options, int connections,
                         std::chrono::milliseconds connect_timeout, DoneCallback on_done) {
  pool_ = std::make_unique<TaskPool>(
      reactor_, family, std::vector<ConnectionOptions>(static_cast<size_t>(connections), options),
      connect_timeout,
      [this](const absl::Status& status) {
        const std::lock_guard lock(mutex_);
        opened_ = status;
        changed_.notify_all();
      },
      [this, on_done = std::move(on_done)](const v1::TaskDone& done) {
        if (on_done) on_done(done);
        const std::lock_guard lock(mutex_);
        EXPECT_TRUE(answers_.emplace(done.id(), std::make_unique<v1::TaskDone>(done)).second);
        changed_.notify_all();
      });
  thread_ = std::thread([this] { reactor_.Run(); });
}

PoolHarness::~PoolHarness() {
  Close();
  reactor_.Stop();
  thread_.join();
}

bool PoolHarness::WaitFor(const std::function<bool()>& condition) {
  std::unique_lock lock(mutex_);
  const bool met = changed_.wait_for(lock, std::chrono::minutes(1), condition);
  EXPECT_TRUE(met) << "no answer for a minute";
  return met;
}

absl::Status PoolHarness::Open() {
  reactor_.Post([this] { pool_->Open(); });
  if (!WaitFor([this] { return opened_.has_value(); })) return absl::DeadlineExceededError("stuck");
  return *opened_;
}

void PoolHarness::Submit(const v1::Task& task) {
  reactor_.Post([this, task] { pool_->Submit(task); });
}

v1::TaskDone PoolHarness::Take(uint64_t id) {
  if (!WaitFor([this, id] { return answers_.contains(id); })) return {};
  const std::lock_guard lock(mutex_);
  return *answers_.extract(id).mapped();
}

v1::TaskDone PoolHarness::Run(const v1::Task& task) {
  Submit(task);
  return Take(task.id());
}

void PoolHarness::Close() {
  if (closed_) return;
  reactor_.Post([this] {
    pool_->Close([this] {
      pool_.reset();
      const std::lock_guard lock(mutex_);
      closed_ = true;
      changed_.notify_all();
    });
  });
  WaitFor([this] { return closed_; });
}

size_t PoolHarness::answers() {
  const std::lock_guard lock(mutex_);
  return answers_.size();
}

ConnectionOptions OptionsFor(const DatabaseServer& server) {
  return {.node = server.endpoint(),
          .address = "127.0.0.1",
          .database = "sbtest",
          .user = "sbtest",
          .password = server.password(),
          .tls = Tls::kDisable};
}

v1::Task ScriptTask(uint64_t id, const std::vector<std::string>& sql) {
  v1::Task task;
  task.set_id(id);
  for (const std::string& statement : sql) task.mutable_script()->add_sql(statement);
  return task;
}

}  // namespace sysfleet
