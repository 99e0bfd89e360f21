// The coordinator's end of one gRPC stream to an agent. Only for agent_link.cc.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "common/base/endpoint.h"
#include "sysfleet/v1/agent.grpc.pb.h"

namespace sysfleet {

class AgentStream;

/// Hears what a stream brings; called by gRPC's threads, never with a lock of the stream held.
class AgentStreamEvents {
 public:
  virtual ~AgentStreamEvents() = default;
  virtual void OnStreamMessage(const AgentStream& stream,
                               std::shared_ptr<const v1::AgentMessage> message,
                               int64_t received_ns) = 0;
  /// The last call.
  virtual void OnStreamEnd(const AgentStream& stream, const absl::Status& status) = 0;
};

/// Thread-safe.
class AgentStream final
    : private grpc::ClientBidiReactor<v1::CoordinatorMessage, v1::AgentMessage> {
 public:
  /// Over a connection of its own: one that hangs is not used again. `events` must outlive it.
  AgentStream(std::shared_ptr<grpc::Channel> channel, AgentStreamEvents& events);
  /// Waits until gRPC has let it go; `events` is called no more.
  ~AgentStream() override;

  void Send(std::shared_ptr<const v1::CoordinatorMessage> message);
  /// What has been sent is still written, then the agent's end closes.
  void HalfClose();
  void Cancel() { context_.TryCancel(); }
  /// False at the deadline.
  bool AwaitEnd(std::chrono::steady_clock::time_point deadline);

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;
  void WriteNext();

  AgentStreamEvents& events_;
  const std::unique_ptr<v1::AgentService::Stub> stub_;
  grpc::ClientContext context_;
  v1::AgentMessage incoming_;
  std::mutex mutex_;
  std::condition_variable done_changed_;
  // Guarded by mutex_:
  std::deque<std::shared_ptr<const v1::CoordinatorMessage>> queue_;
  bool writing_ = false;
  bool closing_ = false;
  bool broken_ = false;
  bool done_ = false;
};

}  // namespace sysfleet
