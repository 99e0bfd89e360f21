#include "agent/session/tenancy.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "common/base/clock.h"
#include "common/base/text.h"
#include "common/base/version.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

using std::chrono::milliseconds;

// Less cannot be kept on a busy machine; more is load that nobody steers.
constexpr milliseconds kLeaseTimeMin{100};
constexpr milliseconds kLeaseTimeMax{600'000};

milliseconds LeaseTimeOf(const v1::Lease& lease) {
  if (lease.time_ms() == 0) return kLeaseTime;
  return std::clamp(milliseconds(std::min<uint64_t>(lease.time_ms(), kLeaseTimeMax.count())),
                    kLeaseTimeMin, kLeaseTimeMax);
}

absl::Status CheckProtocol(const v1::Lease& lease) {
  if (lease.protocol() >= kProtocolMin && lease.protocol() <= kProtocolMax) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(fmt::format(
      "this agent is sysfleet {} and speaks protocol {} to {}, the coordinator is {} and "
      "wants {}; install the same version on both",
      kVersion, kProtocolMin, kProtocolMax, lease.version(), lease.protocol()));
}

}  // namespace

Tenancy::Tenancy(Engine& engine, SerialQueue& queue, std::shared_ptr<const v1::AgentMessage> hello,
                 std::function<void(bool)> on_taken)
    : engine_(engine), queue_(queue), hello_(std::move(hello)), on_taken_(std::move(on_taken)) {}

Tenancy::~Tenancy() = default;

void Tenancy::OnStreamOpened(const std::shared_ptr<AgentStream>& stream) {
  if (ending_) return stream->Finish(absl::AbortedError("the agent is ending"));
  stream->Send(hello_);
}

void Tenancy::OnStreamLost(const std::shared_ptr<AgentStream>& stream) {
  stream->Finish(absl::OkStatus());
  if (successor_ && successor_->stream == stream) successor_.reset();
  if (!channel_ || !channel_->IsAttachedTo(stream)) return;
  channel_->Detach();
  if (!session_ending_) spdlog::warn("lost the stream of {}", session_->run_id());
}

void Tenancy::OnMessage(const std::shared_ptr<AgentStream>& stream,
                        const v1::CoordinatorMessage& message) {
  if (message.has_lease()) return OnLease(stream, message);
  if (!channel_ || !channel_->IsAttachedTo(stream) || session_ending_) return;
  lease_->OnHeard(SteadyNanos());
  if (!channel_->OnMessage(message)) return;
  if (!message.has_release()) return session_->OnMessage(message);
  EndSession(absl::OkStatus());
}

void Tenancy::OnLease(const std::shared_ptr<AgentStream>& stream,
                      const v1::CoordinatorMessage& message) {
  if (ending_) return stream->Finish(absl::AbortedError("the agent is ending"));
  if (auto status = CheckProtocol(message.lease()); !status.ok()) return stream->Finish(status);
  if (message.lease().attach()) return Attach(stream, message);
  if (!session_) return Begin(stream, message);
  const bool is_later =
      message.run_id() == session_->run_id() && message.epoch() > session_->epoch();
  if (successor_ || !(session_ending_ || is_later)) {
    spdlog::warn("refused another coordinator: {}", Busy());
    return stream->Finish(absl::ResourceExhaustedError(Busy()));
  }
  successor_ = {stream, std::make_unique<const v1::CoordinatorMessage>(message)};
  if (!session_ending_) EndSession(absl::AbortedError("the run goes on under another coordinator"));
}

void Tenancy::Begin(const std::shared_ptr<AgentStream>& stream,
                    const v1::CoordinatorMessage& message) {
  channel_ = std::make_shared<Channel>(message.run_id(), message.epoch());
  lease_ = Lease(LeaseTimeOf(message.lease()), SteadyNanos());
  session_ = std::make_unique<Session>(engine_, queue_, channel_, [this] {
    // Posted, because the session is still returning from a call.
    queue_.Post([this] { OnSessionEnded(); });
  });
  on_taken_(true);
  ticker_ = std::make_unique<Ticker>(lease_->heartbeat() / 2, [this] {
    queue_.Post([this, now_ns = SteadyNanos()] { OnLook(now_ns); });
  });
  session_->OnMessage(message);
  channel_->Attach(stream, 0);
}

void Tenancy::Attach(const std::shared_ptr<AgentStream>& stream,
                     const v1::CoordinatorMessage& message) {
  if (!session_ || session_ending_ || message.run_id() != session_->run_id() ||
      message.epoch() != session_->epoch()) {
    return stream->Finish(absl::AbortedError("the lease is over, and the load was ended"));
  }
  spdlog::info("{} goes on over another stream", session_->run_id());
  lease_->OnHeard(SteadyNanos());
  channel_->Attach(stream, message.acknowledged());
}

void Tenancy::OnLook(int64_t now_ns) {
  if (!session_ || session_ending_) return;
  lease_->OnLook(now_ns);
  if (lease_->IsOver(now_ns)) {
    const std::string why = fmt::format(
        "heard nothing of its coordinator for {}, its lease is over", ForPeople(lease_->time()));
    spdlog::warn("{}: {}", session_->run_id(), why);
    return EndSession(absl::AbortedError(why));
  }
  if (now_ns - heartbeat_ns_ < std::chrono::nanoseconds(lease_->heartbeat()).count()) return;
  heartbeat_ns_ = now_ns;
  channel_->Heartbeat();
}

void Tenancy::End() {
  ending_ = true;
  if (successor_) successor_->stream->Finish(absl::AbortedError("the agent is ending"));
  successor_.reset();
  if (session_ && !session_ending_) EndSession(absl::AbortedError("the agent was told to end"));
}

void Tenancy::EndSession(const absl::Status& why) {
  session_ending_ = true;
  if (!why.ok()) channel_->Finish(why);
  session_->End();
}

void Tenancy::OnSessionEnded() {
  channel_->Finish(absl::OkStatus());
  spdlog::info("free again");
  ticker_.reset();
  session_.reset();
  channel_.reset();
  lease_.reset();
  session_ending_ = false;
  if (auto successor = std::exchange(successor_, std::nullopt)) {
    return Begin(successor->stream, *successor->message);
  }
  on_taken_(false);
}

std::string Tenancy::Busy() const {
  const std::string busy = session_->Busy();
  if (session_ending_) return busy + "; it is being ended";
  if (channel_->is_attached()) return busy;
  const std::chrono::nanoseconds silence = lease_->Silence(SteadyNanos());
  const std::chrono::nanoseconds left =
      std::max<std::chrono::nanoseconds>(std::chrono::seconds(1), lease_->time() - silence);
  return fmt::format(
      "{}; its coordinator has not been heard for {}, and unless it comes back the "
      "agent is free in {}",
      busy, ForPeople(silence), ForPeople(left));
}

}  // namespace sysfleet
