// The agent's end of one gRPC stream: queues what is sent, one write at a time. Only for server.cc.
#pragma once

#include <grpcpp/grpcpp.h>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "agent/session/channel.h"
#include "sysfleet/v1/agent.grpc.pb.h"

namespace sysfleet {

using StreamReactor = grpc::ServerBidiReactor<v1::CoordinatorMessage, v1::AgentMessage>;

/// Thread-safe. Outlives the stream: then it does nothing.
class StreamLink final : public AgentStream {
 public:
  explicit StreamLink(StreamReactor& stream) : stream_(&stream) {}

  void Send(std::shared_ptr<const v1::AgentMessage> message) override;
  void Finish(const absl::Status& status) override;

  // Called by the stream.
  void OnWriteDone(bool ok);
  void OnStreamGone();

 private:
  void FinishIfDue();

  std::mutex mutex_;
  StreamReactor* stream_;  // nullptr once it is gone or finished
  std::deque<std::shared_ptr<const v1::AgentMessage>> queue_;
  bool writing_ = false;
  std::optional<grpc::Status> finish_;
};

}  // namespace sysfleet
