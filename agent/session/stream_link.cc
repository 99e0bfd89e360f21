#include "agent/session/stream_link.h"

#include "common/rpc/options.h"

namespace sysfleet {
namespace {

// A coordinator that reads nothing for this long is as good as gone; an hour of snapshots is less.
constexpr size_t kQueueMax = 10'000;

}  // namespace

void StreamLink::Send(const v1::AgentMessage& message) {
  const std::lock_guard lock(mutex_);
  if (stream_ == nullptr || finish_) return;
  if (queue_.size() >= kQueueMax) {
    finish_ = grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                           "the coordinator does not read what the agent sends");
    return FinishIfDue();
  }
  queue_.push_back(message);
  if (!writing_) {
    writing_ = true;
    stream_->StartWrite(&queue_.front());
  }
}

void StreamLink::Finish(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  if (stream_ == nullptr || finish_) return;
  finish_ = ToGrpc(status);
  FinishIfDue();
}

void StreamLink::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  queue_.pop_front();
  if (stream_ == nullptr) return;
  if (!ok) {
    queue_.clear();
    if (!finish_) finish_ = grpc::Status(grpc::StatusCode::UNAVAILABLE, "the stream broke");
  }
  if (!queue_.empty()) {
    writing_ = true;
    stream_->StartWrite(&queue_.front());
    return;
  }
  FinishIfDue();
}

void StreamLink::OnStreamGone() {
  const std::lock_guard lock(mutex_);
  stream_ = nullptr;
}

// What was sent before the end is still written.
void StreamLink::FinishIfDue() {
  if (!finish_ || writing_) return;
  stream_->Finish(*finish_);
  stream_ = nullptr;
}

}  // namespace sysfleet
