#include "coordinator/fleet/fleet.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <utility>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/version.h"
#include "common/rpc/options.h"
#include "coordinator/fleet/clock_round.h"
#include "sysfleet/v1/agent.grpc.pb.h"

namespace sysfleet {
namespace {

constexpr int kPings = 10;
constexpr int kPingedAtOnce = 16;
constexpr std::string_view kUnreachableHint = "; is `agent` running there, and the port open?";

std::string HostName() {
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  return host;
}

// What cannot be calculated with is left out.
std::vector<CoreRate> RatesOf(const v1::Hello& hello, v1::Driver driver) {
  std::vector<CoreRate> rates;
  for (const v1::CoreRate& rate : hello.core_rates()) {
    const auto connections = static_cast<int>(rate.connections());
    if (rate.driver() != driver || connections <= 0) continue;
    if (!std::isfinite(rate.qps()) || rate.qps() <= 0) continue;
    rates.push_back({.connections = connections, .qps = rate.qps()});
  }
  std::sort(rates.begin(), rates.end(),
            [](const CoreRate& a, const CoreRate& b) { return a.connections < b.connections; });
  return rates;
}

}  // namespace

class Fleet::Inbox {
 public:
  void Push(FleetEvent event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    changed_.notify_one();
  }

  // For events that were taken too early.
  void PushFront(std::vector<FleetEvent> events) {
    const std::lock_guard lock(mutex_);
    events_.insert(events_.begin(), std::make_move_iterator(events.begin()),
                   std::make_move_iterator(events.end()));
  }

  std::optional<FleetEvent> Pop(TimePoint deadline) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_until(lock, deadline, [this] { return !events_.empty(); })) {
      return std::nullopt;
    }
    FleetEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FleetEvent> events_;  // guarded by mutex_
};

// The coordinator's end of one session.
class Fleet::Stream final
    : public grpc::ClientBidiReactor<v1::CoordinatorMessage, v1::AgentMessage> {
 public:
  Stream(int agent, const Endpoint& endpoint, std::shared_ptr<Inbox> inbox)
      : agent_(agent),
        inbox_(std::move(inbox)),
        stub_(v1::AgentService::NewStub(MakePlainTextChannel(endpoint))) {
    stub_->async()->Session(&context_, this);
    StartRead(&incoming_);
    StartCall();
  }

  ~Stream() override {
    context_.TryCancel();
    std::unique_lock lock(mutex_);
    done_changed_.wait(lock, [this] { return done_; });
  }

  void Send(v1::CoordinatorMessage message) {
    const std::lock_guard lock(mutex_);
    if (broken_) return;
    queue_.push_back(std::move(message));
    WriteNext();
  }

  // What has been sent is still written, then the agent's end closes.
  void HalfClose() {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    WriteNext();
  }

  bool WaitDone(TimePoint deadline) {
    std::unique_lock lock(mutex_);
    return done_changed_.wait_until(lock, deadline, [this] { return done_; });
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      // As long as a read is under way gRPC does not end the call; from now on it may, and nothing
      // may be started on it any more.
      const std::lock_guard lock(mutex_);
      broken_ = true;
      return;
    }
    const int64_t now_ns = SteadyNanos();
    auto message = std::make_shared<v1::AgentMessage>(std::move(incoming_));
    inbox_->Push({.kind = FleetEvent::Kind::kMessage,
                  .agent = agent_,
                  .message = std::move(message),
                  .received_ns = now_ns});
    incoming_.Clear();
    StartRead(&incoming_);
  }

  void OnWriteDone(bool ok) override {
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

  void OnDone(const grpc::Status& status) override {
    absl::Status why = FromGrpc(status);
    if (why.ok()) why = absl::UnavailableError("the agent closed the session");
    inbox_->Push({.kind = FleetEvent::Kind::kLost, .agent = agent_, .status = why});
    // The last thing: who waits for it may destroy this object.
    const std::lock_guard lock(mutex_);
    done_ = true;
    done_changed_.notify_all();
  }

 private:
  // With the mutex held.
  void WriteNext() {
    if (writing_ || broken_) return;
    if (!queue_.empty()) {
      writing_ = true;
      StartWrite(&queue_.front());
    } else if (closing_) {
      closing_ = false;
      StartWritesDone();
    }
  }

  const int agent_;
  const std::shared_ptr<Inbox> inbox_;
  const std::unique_ptr<v1::AgentService::Stub> stub_;
  grpc::ClientContext context_;
  v1::AgentMessage incoming_;
  std::mutex mutex_;
  std::condition_variable done_changed_;
  // Guarded by mutex_:
  std::deque<v1::CoordinatorMessage> queue_;
  bool writing_ = false;
  bool closing_ = false;
  bool broken_ = false;
  bool done_ = false;
};

Fleet::Fleet(std::vector<Endpoint> agents, RunIdentity run)
    : run_(std::move(run)), inbox_(std::make_shared<Inbox>()) {
  for (Endpoint& endpoint : agents) agents_.push_back({.endpoint = std::move(endpoint)});
}

Fleet::~Fleet() {
  Close();
}

absl::Status Fleet::Open(std::chrono::milliseconds limit) {
  for (int i = 0; i < size(); ++i) {
    const Endpoint& endpoint = agents_[static_cast<size_t>(i)].endpoint;
    SYSFLEET_RETURN_IF_ERROR(Annotate(CheckPlainTextAllowed(endpoint), NameOf(i)));
  }
  for (int i = 0; i < size(); ++i) {
    streams_.push_back(
        std::make_unique<Stream>(i, agents_[static_cast<size_t>(i)].endpoint, inbox_));
  }
  SYSFLEET_RETURN_IF_ERROR(AwaitHellos(limit));
  GrantLeases();
  return SynchronizeClocks(limit);
}

absl::Status Fleet::AwaitHellos(std::chrono::milliseconds limit) {
  std::vector<bool> greeted(agents_.size(), false);
  for (size_t missing = agents_.size(); missing > 0;) {
    const auto event = Wait(std::chrono::steady_clock::now() + limit);
    if (!event) {
      const auto silent = std::find(greeted.begin(), greeted.end(), false) - greeted.begin();
      return absl::UnavailableError(
          fmt::format("{}: no answer{}", NameOf(static_cast<int>(silent)), kUnreachableHint));
    }
    if (event->kind == FleetEvent::Kind::kInterrupt) return absl::CancelledError("interrupted");
    if (event->kind == FleetEvent::Kind::kLost) {
      const std::string_view hint =
          absl::IsUnavailable(event->status) ? kUnreachableHint : std::string_view();
      return {event->status.code(),
              fmt::format("{}: {}{}", NameOf(event->agent), Message(event->status), hint)};
    }
    if (!event->message->has_hello()) continue;
    const v1::Hello& hello = event->message->hello();
    FleetAgent& agent = agents_[static_cast<size_t>(event->agent)];
    agent.host = hello.host();
    agent.version = hello.version();
    agent.cores = static_cast<int>(hello.cores());
    agent.reactors = static_cast<int>(hello.reactors());
    agent.postgresql_rates = RatesOf(hello, v1::DRIVER_POSTGRESQL);
    agent.mysql_rates = RatesOf(hello, v1::DRIVER_MYSQL);
    if (hello.protocol_min() > kProtocolMax || hello.protocol_max() < kProtocolMin) {
      return absl::FailedPreconditionError(fmt::format(
          "{}: it is sysfleet {} with protocol {} to {}, this coordinator is {} with {} to {}; "
          "install the same version on both",
          NameOf(event->agent), hello.version(), hello.protocol_min(), hello.protocol_max(),
          kVersion, kProtocolMin, kProtocolMax));
    }
    greeted[static_cast<size_t>(event->agent)] = true;
    --missing;
  }
  return absl::OkStatus();
}

void Fleet::GrantLeases() {
  v1::CoordinatorMessage message;
  v1::Lease& lease = *message.mutable_lease();
  lease.set_version(std::string(kVersion));
  lease.set_protocol(kProtocolMax);
  lease.set_run_name(run_.run_id);
  lease.set_coordinator_host(HostName());
  SendAll(message);
}

absl::Status Fleet::SynchronizeClocks(std::chrono::milliseconds limit) {
  ClockRound round(agents_.size(), kPings);
  const auto ping = [&](std::optional<size_t> agent) {
    if (!agent) return;
    v1::CoordinatorMessage message;
    message.mutable_ping()->set_sequence(round.OnPing(*agent, SteadyNanos()));
    Send(static_cast<int>(*agent), std::move(message));
  };
  for (int i = 0; i < kPingedAtOnce; ++i) ping(round.BeginNext());
  std::vector<FleetEvent> others;
  absl::Status status;
  while (!round.finished() && status.ok()) {
    auto event = Wait(std::chrono::steady_clock::now() + limit);
    if (!event) {
      status = absl::UnavailableError(fmt::format("{}: no answer while its clock was read",
                                                  NameOf(static_cast<int>(round.Awaited()))));
    } else if (event->kind == FleetEvent::Kind::kInterrupt) {
      status = absl::CancelledError("interrupted");
    } else if (event->kind == FleetEvent::Kind::kLost) {
      status = Annotate(event->status, NameOf(event->agent));
      others.push_back(*std::move(event));
    } else if (!event->message->has_pong()) {
      others.push_back(*std::move(event));
    } else {
      const v1::Pong& pong = event->message->pong();
      ping(round.OnPong(static_cast<size_t>(event->agent), pong.sequence(), pong.agent_ns(),
                        event->received_ns));
    }
  }
  inbox_->PushFront(std::move(others));
  for (size_t i = 0; status.ok() && i < agents_.size(); ++i) {
    agents_[i].clock_offset_ns = round.estimate(i).offset_ns();
    agents_[i].round_trip_ns = round.estimate(i).round_trip_ns();
  }
  return status;
}

void Fleet::Send(int agent, v1::CoordinatorMessage message) {
  message.set_run_id(run_.run_id);
  message.set_epoch(run_.epoch);
  streams_[static_cast<size_t>(agent)]->Send(std::move(message));
}

void Fleet::SendAll(const v1::CoordinatorMessage& message) {
  for (int i = 0; i < size(); ++i) Send(i, message);
}

std::optional<FleetEvent> Fleet::Wait(TimePoint deadline) {
  return inbox_->Pop(deadline);
}

void Fleet::Interrupt() {
  inbox_->Push({.kind = FleetEvent::Kind::kInterrupt});
}

void Fleet::Close() {
  const TimePoint deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (auto& stream : streams_) stream->HalfClose();
  for (auto& stream : streams_) stream->WaitDone(deadline);
  streams_.clear();
}

std::string Fleet::NameOf(int agent) const {
  return "agent " + ToString(agents_[static_cast<size_t>(agent)].endpoint);
}

}  // namespace sysfleet
