// Bytes that come in pieces of any size, and bytes that no server would send.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include "agent/database/wire_reply.h"

namespace sysfleet {

inline constexpr std::array<size_t, 7> kPieces = {1, 2, 3, 5, 11, 64, 1 << 20};

/// The state after the last piece; all before it must be partial.
template <typename Reader>
ReplyState ReadInPieces(Reader& reader, std::string_view bytes, size_t piece) {
  ReplyState state = ReplyState::kPartial;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    if (state != ReplyState::kPartial) return ReplyState::kBroken;
    // A copy of its own, so that a reader beyond its end is found by the sanitizer.
    const std::string part(bytes.substr(at, piece));
    state = reader.Read(part);
  }
  return state;
}

/// A good reply with some of its bytes changed, again and again: whatever the reader makes of it,
/// it must come back.
template <typename Reader>
void FeedNoise(const std::string& reply) {
  std::mt19937 random(20'261'130);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = reply;
    for (unsigned changes = random() % 4 + 1; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    Reader reader;
    reader.Begin();
    const size_t piece = random() % bytes.size() + 1;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      const std::string part = bytes.substr(at, piece);
      if (reader.Read(part) != ReplyState::kPartial) break;
    }
  }
}

}  // namespace sysfleet
