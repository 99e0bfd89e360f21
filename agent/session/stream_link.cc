#include "agent/session/stream_link.h"

#include <utility>

#include "common/rpc/options.h"

namespace sysfleet {
namespace {

// Of what belongs to the stream alone; a session keeps less than that.
constexpr size_t kQueueMax = 20'000;

}  // namespace

void StreamLink::Send(std::shared_ptr<const v1::AgentMessage> message) {
  const std::lock_guard lock(mutex_);
  if (stream_ == nullptr || finish_) return;
  if (queue_.size() >= kQueueMax) {
    finish_ = grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                           "the coordinator does not read what the agent sends");
    return FinishIfDue();
  }
  queue_.push_back(std::move(message));
  if (!writing_) {
    writing_ = true;
    stream_->StartWrite(queue_.front().get());
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
    stream_->StartWrite(queue_.front().get());
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
