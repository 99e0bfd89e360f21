#include "coordinator/fleet/agent_link.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/base/version.h"
#include "common/rpc/delivery.h"
#include "common/rpc/lease.h"
#include "common/rpc/options.h"
#include "common/rpc/security.h"
#include "coordinator/fleet/agent_stream.h"

namespace sysfleet {
namespace {

// So many heartbeats may be late before another connection is tried.
constexpr int kHeartbeatsMissed = 3;
constexpr int kPhases = 16;

std::string HostName() {
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  return host;
}

// What the network or a killed process does to a stream; anything else is the agent's decision.
bool MayComeBack(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kDeadlineExceeded:
      return true;
    default:
      return false;
  }
}

int64_t Nanos(std::chrono::nanoseconds duration) {
  return duration.count();
}

}  // namespace

class AgentLink::Impl final : public AgentStreamEvents {
 public:
  Impl(int agent, Endpoint endpoint, RunIdentity run,
       std::shared_ptr<grpc::ChannelCredentials> credentials, std::shared_ptr<FleetInbox> inbox)
      : agent_(agent),
        endpoint_(std::move(endpoint)),
        run_(std::move(run)),
        credentials_(std::move(credentials)),
        inbox_(std::move(inbox)),
        lease_(run_.lease, SteadyNanos()) {
    const std::lock_guard lock(mutex_);
    // Each agent has its own time for it within the interval.
    heartbeat_ns_ = SteadyNanos() - agent % kPhases * Nanos(lease_.heartbeat()) / kPhases;
    OpenStream(SteadyNanos());
  }

  // Streams wait for gRPC to let them go, and gRPC may wait for mutex_.
  ~Impl() override {
    std::vector<std::unique_ptr<AgentStream>> streams;
    {
      const std::lock_guard lock(mutex_);
      state_ = State::kOver;
      RetireStream();
      streams = std::move(retired_);
    }
  }

  void TakeLease() {
    const std::lock_guard lock(mutex_);
    if (stream_) SendLease(false);
  }

  void Send(v1::CoordinatorMessage message) {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kOver) return;
    const bool belongs_to_stream = message.has_ping();
    if (belongs_to_stream) return SendUnnumbered(std::move(message));
    Stamp(message);
    const auto kept = outbox_.Add(std::move(message));
    if (state_ == State::kAttached) stream_->Send(kept);
  }

  void OnLook(int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    std::erase_if(retired_, [](const auto& stream) {
      return stream->AwaitEnd(std::chrono::steady_clock::time_point::min());
    });
    if (state_ == State::kOver || state_ == State::kGreeting) return;
    lease_.OnLook(now_ns);
    if (lease_.IsOver(now_ns)) return Lose(LeaseIsOver(now_ns));
    const int64_t patience_ns = kHeartbeatsMissed * Nanos(lease_.heartbeat());
    const int64_t since_ns =
        state_ == State::kAttached ? now_ns - Nanos(lease_.Silence(now_ns)) : opened_ns_;
    if (stream_ && now_ns - since_ns > patience_ns) Detach(absl::UnavailableError("no answer"));
    if (state_ == State::kAttached && now_ns - heartbeat_ns_ >= Nanos(lease_.heartbeat())) {
      heartbeat_ns_ = now_ns;
      v1::CoordinatorMessage alive;
      alive.mutable_acknowledge();
      SendUnnumbered(std::move(alive));
    }
    if (!stream_ && now_ns - opened_ns_ >= Nanos(lease_.heartbeat()) / 2) OpenStream(now_ns);
  }

  void Release() {
    v1::CoordinatorMessage message;
    message.mutable_release();
    Send(std::move(message));
    const std::lock_guard lock(mutex_);
    if (state_ == State::kAttached || state_ == State::kGreeting) stream_->HalfClose();
    state_ = State::kOver;
  }

  void AwaitEnd(std::chrono::steady_clock::time_point deadline) {
    AgentStream* stream = nullptr;
    {
      const std::lock_guard lock(mutex_);
      stream = stream_.get();
    }
    // After Release nothing replaces it.
    if (stream != nullptr) stream->AwaitEnd(deadline);
  }

 private:
  enum class State : uint8_t {
    kGreeting,  // the first stream, up to the agent's consent
    kAttached,
    kDetached,
    kOver,  // lost or released
  };

  void OnStreamMessage(const AgentStream& stream, std::shared_ptr<const v1::AgentMessage> message,
                       int64_t received_ns) override {
    const std::lock_guard lock(mutex_);
    if (&stream != stream_.get()) return;
    lease_.OnHeard(received_ns);
    outbox_.OnAcknowledged(message->acknowledged());
    if (message->has_hello() && state_ == State::kDetached) return SendLease(true);
    if (message->has_leased()) return Attach();
    if (message->sequence() > 0) {
      const Arrival arrival = received_.Take(message->sequence());
      if (arrival == Arrival::kMissing) stream_->Cancel();
      if (arrival != Arrival::kNew) return;
    }
    if (message->has_acknowledge()) return;
    inbox_->Push({.kind = FleetEvent::Kind::kMessage,
                  .agent = agent_,
                  .message = std::move(message),
                  .received_ns = received_ns});
  }

  void OnStreamEnd(const AgentStream& stream, const absl::Status& status) override {
    const std::lock_guard lock(mutex_);
    if (&stream != stream_.get() || state_ == State::kOver) return;
    if (state_ == State::kGreeting || !MayComeBack(status)) {
      return Lose(status.ok() ? absl::UnavailableError("the agent closed the session")
                              : ExplainHandshake(status, endpoint_));
    }
    Detach(status);
  }

  // The rest is called with mutex_ held.

  void OpenStream(int64_t now_ns) {
    opened_ns_ = now_ns;
    stream_ = std::make_unique<AgentStream>(MakeChannel(endpoint_, credentials_), *this);
  }

  void RetireStream() {
    if (!stream_) return;
    stream_->Cancel();
    retired_.push_back(std::move(stream_));
  }

  void Attach() {
    state_ = State::kAttached;
    for (const auto& message : outbox_.kept()) stream_->Send(message);
    inbox_->Push({.kind = FleetEvent::Kind::kAttached, .agent = agent_});
  }

  void Detach(const absl::Status& why) {
    state_ = State::kDetached;
    broken_by_ = why;
    RetireStream();
  }

  void Lose(const absl::Status& why) {
    state_ = State::kOver;
    RetireStream();
    inbox_->Push({.kind = FleetEvent::Kind::kLost, .agent = agent_, .status = why});
  }

  absl::Status LeaseIsOver(int64_t now_ns) const {
    if (lease_.stood_still()) {
      return absl::UnavailableError(
          fmt::format("this coordinator stood still for longer than the lease of {}; the agent has "
                      "ended its load",
                      ForPeople(lease_.time())));
    }
    return absl::UnavailableError(fmt::format("no answer for {} (lease over){}",
                                              ForPeople(lease_.Silence(now_ns)),
                                              broken_by_.ok() ? "" : ": " + Message(broken_by_)));
  }

  void SendLease(bool attach) {
    v1::CoordinatorMessage message;
    v1::Lease& lease = *message.mutable_lease();
    lease.set_version(std::string(kVersion));
    lease.set_protocol(kProtocolMax);
    lease.set_run_name(run_.run_id);
    lease.set_coordinator_host(HostName());
    lease.set_time_ms(static_cast<uint64_t>(lease_.time().count()));
    lease.set_attach(attach);
    Stamp(message);
    stream_->Send(std::make_shared<const v1::CoordinatorMessage>(std::move(message)));
  }

  void SendUnnumbered(v1::CoordinatorMessage message) {
    if (state_ != State::kAttached) return;
    Stamp(message);
    stream_->Send(std::make_shared<const v1::CoordinatorMessage>(std::move(message)));
  }

  void Stamp(v1::CoordinatorMessage& message) const {
    message.set_run_id(run_.run_id);
    message.set_epoch(run_.epoch);
    message.set_acknowledged(received_.last());
  }

  const int agent_;
  const Endpoint endpoint_;
  const RunIdentity run_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  const std::shared_ptr<FleetInbox> inbox_;
  std::mutex mutex_;
  // Guarded by mutex_:
  State state_ = State::kGreeting;
  Lease lease_;
  Outbox<v1::CoordinatorMessage> outbox_;
  Received received_;
  int64_t heartbeat_ns_ = 0;
  int64_t opened_ns_ = 0;
  absl::Status broken_by_;
  std::unique_ptr<AgentStream> stream_;
  std::vector<std::unique_ptr<AgentStream>> retired_;  // cancelled; gRPC has not let them go yet
};

AgentLink::AgentLink(int agent, Endpoint endpoint, RunIdentity run,
                     std::shared_ptr<grpc::ChannelCredentials> credentials,
                     std::shared_ptr<FleetInbox> inbox)
    : impl_(std::make_unique<Impl>(agent, std::move(endpoint), std::move(run),
                                   std::move(credentials), std::move(inbox))) {}
AgentLink::~AgentLink() = default;
void AgentLink::TakeLease() {
  impl_->TakeLease();
}
void AgentLink::Send(v1::CoordinatorMessage message) {
  impl_->Send(std::move(message));
}
void AgentLink::OnLook(int64_t now_ns) {
  impl_->OnLook(now_ns);
}
void AgentLink::Release() {
  impl_->Release();
}
void AgentLink::AwaitEnd(std::chrono::steady_clock::time_point deadline) {
  impl_->AwaitEnd(deadline);
}

}  // namespace sysfleet
