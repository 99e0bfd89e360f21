// Permutations of integers whose order looks random. Pure; not for secrets. Each of their steps can
// be undone: adding, multiplying by an odd number modulo a power of two, and xoring the value
// shifted to the right into itself.
#pragma once

#include <cstdint>

namespace sysfleet {

/// A bijection of 0 to 2^kBits - 1, kBits from 1 to 32.
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

/// A bijection of 0 to 2^bits - 1, bits from 1 to 63, chosen while running. 0 does not stay 0.
constexpr uint64_t ScrambleWide(uint64_t x, uint32_t bits) {
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  const uint32_t half = (bits + 1) / 2;
  x = (x + 0x9e3779b97f4a7c15) & mask;
  x ^= x >> half;
  x = (x * 0xbf58476d1ce4e5b9) & mask;
  x ^= x >> half;
  x = (x * 0x94d049bb133111eb) & mask;
  return x ^ x >> half;
}

}  // namespace sysfleet
