// The way to a coordinator over any number of streams, one after another. All calls come from the
// session's queue.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "agent/session/session.h"
#include "common/rpc/delivery.h"

namespace sysfleet {

/// The agent's end of one stream. Thread-safe; does nothing once the stream is gone.
class AgentStream {
 public:
  virtual ~AgentStream() = default;
  virtual void Send(std::shared_ptr<const v1::AgentMessage> message) = 0;
  /// Ends the stream behind what was sent; OK where all is done.
  virtual void Finish(const absl::Status& status) = 0;
};

class Channel final : public SessionLink {
 public:
  Channel(std::string run_id, uint64_t epoch) : run_id_(std::move(run_id)), epoch_(epoch) {}

  /// Over `stream` from now on: says so, and sends again what is not acknowledged. The stream
  /// before is ended.
  void Attach(std::shared_ptr<AgentStream> stream, uint64_t acknowledged);
  bool IsAttachedTo(const std::shared_ptr<AgentStream>& stream) const { return stream_ == stream; }
  bool is_attached() const { return stream_ != nullptr; }
  /// The stream is gone.
  void Detach() { stream_.reset(); }

  /// Takes note of what came over the stream; true where it is for the session and new.
  bool OnMessage(const v1::CoordinatorMessage& message);

  /// Says that the agent is alive, where nothing was sent since the last call.
  void Heartbeat();

  void Send(v1::AgentMessage message) override;
  void Finish(const absl::Status& status) override;

 private:
  void SendUnnumbered(v1::AgentMessage message);

  const std::string run_id_;
  const uint64_t epoch_;
  std::shared_ptr<AgentStream> stream_;  // nullptr between two
  Outbox<v1::AgentMessage> outbox_;
  Received received_;
  bool silent_ = true;  // since the last Heartbeat
};

}  // namespace sysfleet
