// Random numbers that are the same for the same seed on every machine and in every version.
// The generator is xoshiro256++ 1.0 (Blackman and Vigna, prng.di.unimi.it, public domain), seeded
// by SplitMix64. Objects are not thread-safe; functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sysfleet {

/// A well-mixed function of both values (SplitMix64's finaliser): seeds of independent streams.
uint64_t MixSeed(uint64_t seed, uint64_t stream);

class Random {
 public:
  explicit Random(uint64_t seed);

  /// All 64 bits are random.
  uint64_t Next();

  /// From min to max, both included; min <= max.
  int64_t Uniform(int64_t min, int64_t max);

  /// From 0 to 1, without 1; 53 random bits.
  double Double() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

 private:
  uint64_t state_[4];
};

/// Text from a pattern: '#' becomes a random digit, '@' a random letter a to z, the rest stays.
class TextPattern {
 public:
  explicit TextPattern(std::string_view pattern);

  size_t size() const { return pattern_.size(); }

  /// Writes size() characters to `out`.
  void Fill(Random& random, char* out) const;

 private:
  std::string pattern_;
  std::vector<uint32_t> digits_;   // places of '#'
  std::vector<uint32_t> letters_;  // places of '@'
};

/// Negative 31-bit ids whose order looks random: the n-th of stream s of `streams` is a bijection
/// of base + n * streams + s, so streams of one fleet never meet. Repeats after 2^31 ids in all.
class UniqueIds {
 public:
  UniqueIds(uint64_t base, uint64_t stream, uint64_t streams)
      : next_(base + stream), streams_(streams) {}

  /// From -2^31 to -1.
  int64_t Next();

 private:
  uint64_t next_;
  uint64_t streams_;
};

}  // namespace sysfleet
