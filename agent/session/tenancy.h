// Who has the agent: at most one coordinator at a time, over one stream after another, as long as
// it is heard from. All calls come from the queue.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/session/channel.h"
#include "agent/session/engine.h"
#include "agent/session/session.h"
#include "common/base/serial_queue.h"
#include "common/base/ticker.h"
#include "common/rpc/lease.h"

namespace sysfleet {

class Tenancy {
 public:
  /// `engine` and `queue` must outlive it. `on_taken` is told when the agent is leased and when it
  /// is free again.
  Tenancy(Engine& engine, SerialQueue& queue, std::shared_ptr<const v1::AgentMessage> hello,
          std::function<void(bool)> on_taken);
  ~Tenancy();

  void OnStreamOpened(const std::shared_ptr<AgentStream>& stream);
  void OnStreamLost(const std::shared_ptr<AgentStream>& stream);
  void OnMessage(const std::shared_ptr<AgentStream>& stream, const v1::CoordinatorMessage& message);
  /// At a moment of the steady clock: whether the coordinator is still there.
  void OnLook(int64_t now_ns);

  /// The agent ends: nobody gets it any more.
  void End();

 private:
  /// A coordinator that waits until the session before it has ended.
  struct Successor {
    std::shared_ptr<AgentStream> stream;
    std::unique_ptr<const v1::CoordinatorMessage> message;
  };

  void OnLease(const std::shared_ptr<AgentStream>& stream, const v1::CoordinatorMessage& message);
  void Begin(const std::shared_ptr<AgentStream>& stream, const v1::CoordinatorMessage& message);
  void Attach(const std::shared_ptr<AgentStream>& stream, const v1::CoordinatorMessage& message);
  void EndSession(const absl::Status& why);
  void OnSessionEnded();
  std::string Busy() const;

  Engine& engine_;
  SerialQueue& queue_;
  const std::shared_ptr<const v1::AgentMessage> hello_;
  const std::function<void(bool)> on_taken_;
  bool ending_ = false;
  // Of the present session:
  std::shared_ptr<Channel> channel_;
  std::optional<Lease> lease_;
  int64_t heartbeat_ns_ = 0;  // when the last one was
  std::unique_ptr<Session> session_;
  bool session_ending_ = false;
  std::unique_ptr<Ticker> ticker_;
  std::optional<Successor> successor_;
};

}  // namespace sysfleet
