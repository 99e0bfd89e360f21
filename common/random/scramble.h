// A permutation of small integers whose order looks random. Pure; not for secrets.
#pragma once

#include <cstdint>

namespace sysfleet {

/// A bijection of 0 to 2^kBits - 1, kBits from 1 to 32. Each of its steps can be undone:
/// multiplying by an odd number modulo a power of two, and xoring the value shifted to the right
/// into itself.
template <uint32_t kBits>
constexpr uint32_t Scramble(uint32_t x) {
  static_assert(kBits >= 1 && kBits <= 32);
  constexpr uint32_t kMask = ~uint32_t{0} >> (32 - kBits);
  constexpr uint32_t kHalf = (kBits + 1) / 2;
  x ^= x >> kHalf;
  x = (x * 0x4f1bbcdd) & kMask;
  x ^= x >> kHalf;
  x = (x * 0x3504f333) & kMask;
  return x ^ x >> kHalf;
}

}  // namespace sysfleet
