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

/// Text of a random length, every length from min to max equally likely, of random characters.
class AlphabetText {
 public:
  /// length_min <= length_max; `alphabet` is not empty and has at most 128 characters.
  AlphabetText(size_t length_min, size_t length_max, std::string_view alphabet)
      : length_min_(length_min), length_max_(length_max), alphabet_(alphabet) {}

  size_t length_max() const { return length_max_; }

  /// Writes at most length_max() characters to `out` and returns how many.
  size_t Fill(Random& random, char* out) const;

 private:
  size_t length_min_;
  size_t length_max_;
  std::string alphabet_;
};

/// Negative ids whose order looks random: the n-th of stream s of `streams` is a bijection of
/// base + n * streams + s, so streams of one fleet never meet. Narrow ones repeat after 2^31 ids in
/// all, wide ones after 2^63; each kind draws from the same sequence.
class UniqueIds {
 public:
  UniqueIds(uint64_t base, uint64_t stream, uint64_t streams)
      : next_(base + stream), streams_(streams) {}

  /// From -2^31 to -1.
  int64_t Next();

  /// From -2^63 to -1.
  int64_t NextWide();

 private:
  uint64_t next_;
  uint64_t streams_;
};

}  // namespace sysfleet
