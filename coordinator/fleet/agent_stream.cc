#include "coordinator/fleet/agent_stream.h"

#include <utility>

#include "common/base/clock.h"
#include "common/rpc/options.h"

namespace sysfleet {

AgentStream::AgentStream(std::shared_ptr<grpc::Channel> channel, AgentStreamEvents& events)
    : events_(events), stub_(v1::AgentService::NewStub(std::move(channel))) {
  stub_->async()->Session(&context_, this);
  StartRead(&incoming_);
  StartCall();
}

AgentStream::~AgentStream() {
  Cancel();
  AwaitEnd(std::chrono::steady_clock::time_point::max());
}

void AgentStream::Send(std::shared_ptr<const v1::CoordinatorMessage> message) {
  const std::lock_guard lock(mutex_);
  if (broken_) return;
  queue_.push_back(std::move(message));
  WriteNext();
}

void AgentStream::HalfClose() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  WriteNext();
}

bool AgentStream::AwaitEnd(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return done_changed_.wait_until(lock, deadline, [this] { return done_; });
}

void AgentStream::OnReadDone(bool ok) {
  if (!ok) {
    // As long as a read is under way gRPC does not end the call; from now on it may, and nothing
    // may be started on it any more.
    const std::lock_guard lock(mutex_);
    broken_ = true;
    return;
  }
  const int64_t now_ns = SteadyNanos();
  events_.OnStreamMessage(*this, std::make_shared<const v1::AgentMessage>(std::move(incoming_)),
                          now_ns);
  incoming_.Clear();
  StartRead(&incoming_);
}

void AgentStream::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  queue_.pop_front();
  if (!ok) {
    broken_ = true;
    queue_.clear();
    return;
  }
  WriteNext();
}

void AgentStream::OnDone(const grpc::Status& status) {
  events_.OnStreamEnd(*this, FromGrpc(status));
  // The last thing: who waits for it may destroy this object.
  const std::lock_guard lock(mutex_);
  done_ = true;
  done_changed_.notify_all();
}

// With the mutex held.
void AgentStream::WriteNext() {
  if (writing_ || broken_) return;
  if (!queue_.empty()) {
    writing_ = true;
    StartWrite(queue_.front().get());
  } else if (closing_) {
    closing_ = false;
    StartWritesDone();
  }
}

}  // namespace sysfleet
