#include "agent/session/channel.h"

#include <utility>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

// A coordinator that acknowledges nothing for this long is as good as gone; an hour of snapshots is
// less.
constexpr size_t kKeptMax = 10'000;

}  // namespace

void Channel::Attach(std::shared_ptr<AgentStream> stream, uint64_t acknowledged) {
  Finish(absl::AbortedError("the session goes on over another stream"));
  stream_ = std::move(stream);
  outbox_.OnAcknowledged(acknowledged);
  v1::AgentMessage leased;
  leased.mutable_leased();
  SendUnnumbered(std::move(leased));
  for (const auto& message : outbox_.kept()) stream_->Send(message);
}

bool Channel::OnMessage(const v1::CoordinatorMessage& message) {
  outbox_.OnAcknowledged(message.acknowledged());
  if (message.sequence() == 0) return false;
  switch (received_.Take(message.sequence())) {
    case Arrival::kNew:
      return true;
    case Arrival::kSeen:
      return false;
    case Arrival::kMissing:
      // What is missing comes again over the next stream.
      Finish(absl::UnavailableError("a message of the session is missing"));
      return false;
  }
  return false;
}

void Channel::Heartbeat() {
  if (silent_) {
    v1::AgentMessage alive;
    alive.mutable_acknowledge();
    SendUnnumbered(std::move(alive));
  }
  silent_ = true;
}

void Channel::Send(v1::AgentMessage message) {
  if (outbox_.kept().size() >= kKeptMax) {
    return Finish(
        absl::ResourceExhaustedError("the coordinator does not read what the agent sends"));
  }
  silent_ = false;
  message.set_acknowledged(received_.last());
  const auto kept = outbox_.Add(std::move(message));
  if (stream_) stream_->Send(kept);
}

void Channel::Finish(const absl::Status& status) {
  if (const auto stream = std::exchange(stream_, nullptr)) stream->Finish(status);
}

void Channel::SendUnnumbered(v1::AgentMessage message) {
  if (!stream_) return;
  message.set_run_id(run_id_);
  message.set_epoch(epoch_);
  message.set_acknowledged(received_.last());
  stream_->Send(std::make_shared<const v1::AgentMessage>(std::move(message)));
}

}  // namespace sysfleet
