// Delivery of a session's messages exactly once and in order, over streams that may break: the
// sender keeps what is not acknowledged, for the next stream; the receiver knows what it has had.
// Not thread-safe. The protocol is described in agent.proto.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

namespace sysfleet {

/// What one side sends. `Message` is one of the envelopes of agent.proto.
template <typename Message>
class Outbox {
 public:
  /// Numbers a message and keeps it.
  std::shared_ptr<const Message> Add(Message message) {
    message.set_sequence(++last_);
    return kept_.emplace_back(std::make_shared<const Message>(std::move(message)));
  }

  /// The other side has had everything up to `sequence`.
  void OnAcknowledged(uint64_t sequence) {
    while (!kept_.empty() && kept_.front()->sequence() <= sequence) kept_.pop_front();
  }

  /// What has to be sent over a new stream, in order.
  const std::deque<std::shared_ptr<const Message>>& kept() const { return kept_; }

 private:
  uint64_t last_ = 0;
  std::deque<std::shared_ptr<const Message>> kept_;
};

enum class Arrival : uint8_t {
  kNew,
  kSeen,     // it was sent again, but had come the first time
  kMissing,  // one before it has not come: the stream must not go on
};

/// What one side has had.
class Received {
 public:
  Arrival Take(uint64_t sequence) {
    if (sequence <= last_) return Arrival::kSeen;
    if (sequence > last_ + 1) return Arrival::kMissing;
    last_ = sequence;
    return Arrival::kNew;
  }

  /// What to acknowledge.
  uint64_t last() const { return last_; }

 private:
  uint64_t last_ = 0;
};

}  // namespace sysfleet
