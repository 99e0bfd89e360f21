// A task pool on a reactor and a thread of its own, for plain test code: calls that wait for their
// answer. A wait that does not end within a minute fails the test.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "agent/engine/reactor.h"
#include "agent/load/task_pool.h"
#include "tests/support/database_server.h"

namespace sysfleet {

class PoolHarness {
 public:
  using DoneCallback = std::function<void(const v1::TaskDone&)>;

  /// on_done, where given, is called on the reactor's thread, before Take sees the answer.
  PoolHarness(DriverFamily family, const ConnectionOptions& options, int connections,
              std::chrono::milliseconds connect_timeout = std::chrono::seconds(30),
              DoneCallback on_done = nullptr);
  /// Closes the pool, if that was not done before.
  ~PoolHarness();

  absl::Status Open();
  void Submit(const v1::Task& task);
  /// The answer to a task.
  v1::TaskDone Take(uint64_t id);
  v1::TaskDone Run(const v1::Task& task);
  void Close();

  /// How many answers have come and have not been taken.
  size_t answers();

 private:
  bool WaitFor(const std::function<bool()>& condition);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<absl::Status> opened_;
  std::map<uint64_t, std::unique_ptr<v1::TaskDone>> answers_;
  bool closed_ = false;

  Reactor reactor_;
  std::unique_ptr<TaskPool> pool_;
  std::thread thread_;
};

/// How to reach a server that was started for a test.
ConnectionOptions OptionsFor(const DatabaseServer& server);

v1::Task ScriptTask(uint64_t id, const std::vector<std::string>& sql);

}  // namespace sysfleet
