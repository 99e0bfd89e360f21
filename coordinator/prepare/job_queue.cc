#include "coordinator/prepare/job_queue.h"

#include <fmt/format.h>

#include <utility>

#include "common/base/status.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

bool MayRetry(Retry retry, const absl::Status& error) {
  return absl::IsAborted(error) || (retry == Retry::kAny && absl::IsUnavailable(error));
}

}  // namespace

std::optional<v1::Task> JobQueue::Next() {
  if (!status_.ok() || waiting_.empty() ||
      in_flight_.size() >= static_cast<size_t>(in_flight_max_)) {
    return std::nullopt;
  }
  Attempt attempt = std::move(waiting_.front());
  waiting_.pop_front();
  const bool again = attempt.attempts > 0 && attempt.job.task_again != nullptr;
  v1::Task task = again ? *attempt.job.task_again : *attempt.job.task;
  task.set_id(++last_id_);
  ++attempt.attempts;
  in_flight_.emplace(task.id(), std::move(attempt));
  return task;
}

void JobQueue::OnDone(const v1::TaskDone& done) {
  const auto found = in_flight_.find(done.id());
  if (found == in_flight_.end()) return;
  Attempt attempt = std::move(found->second);
  in_flight_.erase(found);
  const absl::Status error(static_cast<absl::StatusCode>(done.error().code()),
                           done.error().message());
  if (!error.ok()) {
    OnFailure(std::move(attempt), error);
  } else if (attempt.job.on_success) {
    Fail(Annotate(attempt.job.on_success(done), attempt.job.subject));
  }
}

void JobQueue::OnFailure(Attempt attempt, const absl::Status& error) {
  if (MayRetry(attempt.job.retry, error) && attempt.attempts < kAttemptsMax) {
    // Behind all that waits: what it collided with has time to end.
    waiting_.push_back(std::move(attempt));
    return;
  }
  if (attempt.job.on_failure && attempt.job.on_failure(error)) return;
  absl::Status failure = Annotate(error, attempt.job.subject);
  if (attempt.attempts > 1) {
    failure = absl::Status(failure.code(),
                           fmt::format("{} (tried {} times)", Message(failure), attempt.attempts));
  }
  Fail(std::move(failure));
}

void JobQueue::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

}  // namespace sysfleet
