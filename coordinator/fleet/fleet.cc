#include "coordinator/fleet/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/version.h"
#include "common/rpc/lease.h"
#include "coordinator/fleet/clock_round.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

constexpr int kPings = 10;
constexpr int kPingedAtOnce = 16;
// So that the heartbeats of a thousand agents do not go out, and come in, all at once.
constexpr int kLooksPerHeartbeat = 16;
constexpr std::string_view kUnreachableHint = "; is `agent` running there, and the port open?";

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

Fleet::Fleet(std::vector<Endpoint> agents, RunIdentity run, Security security)
    : run_(std::move(run)), security_(std::move(security)), inbox_(std::make_shared<FleetInbox>()) {
  for (Endpoint& endpoint : agents) agents_.push_back({.endpoint = std::move(endpoint)});
}

Fleet::~Fleet() {
  Close();
}

absl::Status Fleet::Open(std::chrono::milliseconds limit) {
  for (int i = 0; i < size(); ++i) {
    const Endpoint& endpoint = agents_[static_cast<size_t>(i)].endpoint;
    SYSFLEET_RETURN_IF_ERROR(Annotate(CheckPlainTextAllowed(endpoint, security_), NameOf(i)));
  }
  const auto credentials = MakeChannelCredentials(security_);
  if (!credentials.ok()) return Annotate(credentials.status(), "fleet.tls");
  for (int i = 0; i < size(); ++i) {
    links_.push_back(std::make_unique<AgentLink>(i, agents_[static_cast<size_t>(i)].endpoint, run_,
                                                 *credentials, inbox_));
  }
  keeper_ = std::make_unique<Ticker>(
      std::max(std::chrono::milliseconds(1), Lease(run_.lease, 0).heartbeat() / kLooksPerHeartbeat),
      [this] {
        for (const auto& link : links_) link->OnLook(SteadyNanos());
      });
  SYSFLEET_RETURN_IF_ERROR(AwaitLeases(limit));
  return SynchronizeClocks(limit);
}

absl::Status Fleet::AwaitLeases(std::chrono::milliseconds limit) {
  std::vector<bool> leased(agents_.size(), false);
  // No agent is leased before all have said hello: what one of them cannot do, none begins.
  size_t greeted = 0;
  for (size_t missing = agents_.size(); missing > 0;) {
    const auto event = Wait(std::chrono::steady_clock::now() + limit);
    if (!event) {
      const auto silent = std::find(leased.begin(), leased.end(), false) - leased.begin();
      return absl::UnavailableError(
          fmt::format("{}: no answer{}", NameOf(static_cast<int>(silent)), kUnreachableHint));
    }
    switch (event->kind) {
      case FleetEvent::Kind::kInterrupt:
        return absl::CancelledError("interrupted");
      case FleetEvent::Kind::kLost: {
        const std::string_view hint =
            absl::IsUnavailable(event->status) ? kUnreachableHint : std::string_view();
        return {event->status.code(),
                fmt::format("{}: {}{}", NameOf(event->agent), Message(event->status), hint)};
      }
      case FleetEvent::Kind::kAttached:
        leased[static_cast<size_t>(event->agent)] = true;
        --missing;
        break;
      case FleetEvent::Kind::kMessage:
        if (!event->message->has_hello()) break;
        SYSFLEET_RETURN_IF_ERROR(OnHello(event->agent, event->message->hello()));
        if (++greeted < agents_.size()) break;
        for (const auto& link : links_) link->TakeLease();
    }
  }
  return absl::OkStatus();
}

absl::Status Fleet::OnHello(int agent, const v1::Hello& hello) {
  FleetAgent& known = agents_[static_cast<size_t>(agent)];
  known.host = hello.host();
  known.version = hello.version();
  known.cores = static_cast<int>(hello.cores());
  known.reactors = static_cast<int>(hello.reactors());
  known.postgresql_rates = RatesOf(hello, v1::DRIVER_POSTGRESQL);
  known.mysql_rates = RatesOf(hello, v1::DRIVER_MYSQL);
  if (hello.protocol_min() <= kProtocolMax && hello.protocol_max() >= kProtocolMin) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(fmt::format(
      "{}: it is sysfleet {} with protocol {} to {}, this coordinator is {} with {} to {}; install "
      "the same version on both",
      NameOf(agent), hello.version(), hello.protocol_min(), hello.protocol_max(), kVersion,
      kProtocolMin, kProtocolMax));
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
    } else if (event->kind == FleetEvent::Kind::kAttached) {
      // What it was asked over the stream before may be lost.
      if (round.Owes(static_cast<size_t>(event->agent))) ping(static_cast<size_t>(event->agent));
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
  links_[static_cast<size_t>(agent)]->Send(std::move(message));
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
  keeper_.reset();
  const TimePoint deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (const auto& link : links_) link->Release();
  for (const auto& link : links_) link->AwaitEnd(deadline);
  links_.clear();
}

std::string Fleet::NameOf(int agent) const {
  return "agent " + ToString(agents_[static_cast<size_t>(agent)].endpoint);
}

}  // namespace sysfleet
