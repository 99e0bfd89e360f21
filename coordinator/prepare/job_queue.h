// Tasks that wait, are under way, and have ended: numbers them, tries again what may be tried
// again, and stops at the first failure. A pure state machine; not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace sysfleet {

namespace v1 {
class Task;
class TaskDone;
}  // namespace v1

/// Which failures lead to another attempt.
enum class Retry : uint8_t {
  kAborted,  // the server says that nothing of the transaction remains
  kAny       // also a lost connection, after which nobody knows whether the work was done
};

struct Job {
  /// For messages: "sbtest3 rows 1 to 10,000".
  std::string subject;
  /// Without its id.
  std::shared_ptr<const v1::Task> task;
  /// For further attempts, where they must begin otherwise; null: the same.
  std::shared_ptr<const v1::Task> task_again;
  Retry retry = Retry::kAborted;
  /// Called where it went well; an error ends everything.
  std::function<absl::Status(const v1::TaskDone&)> on_success;
  /// Called where it failed for good; true where that is no failure after all. May be empty.
  std::function<bool(const absl::Status&)> on_failure;
};

class JobQueue {
 public:
  static constexpr int kAttemptsMax = 6;
  static constexpr int kNoLimit = std::numeric_limits<int>::max();

  void Add(Job job) { waiting_.push_back({std::move(job), 0}); }

  /// How many may be under way at once, from now on.
  void SetLimit(int in_flight_max) { in_flight_max_ = in_flight_max; }

  /// The next task to start; nothing after a failure, at the limit, or where none waits.
  std::optional<v1::Task> Next();

  /// An answer to a task that is not under way is ignored.
  void OnDone(const v1::TaskDone& done);

  /// No task starts any more. The first failure counts.
  void Fail(absl::Status status);

  bool waiting() const { return !waiting_.empty(); }
  bool in_flight() const { return !in_flight_.empty(); }
  const absl::Status& status() const { return status_; }

 private:
  struct Attempt {
    Job job;
    int attempts = 0;
  };

  void OnFailure(Attempt attempt, const absl::Status& error);

  std::deque<Attempt> waiting_;
  std::map<uint64_t, Attempt> in_flight_;
  int in_flight_max_ = kNoLimit;
  uint64_t last_id_ = 0;
  absl::Status status_;
};

}  // namespace sysfleet
