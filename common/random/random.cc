#include "common/random/random.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/random/scramble.h"

namespace sysfleet {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

uint64_t Finalise(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Random bits, read as a fraction from 0 to 1 and taken from the front: each Take multiplies the
/// fraction and returns the whole part.
class Fraction {
 public:
  explicit Fraction(uint64_t bits) : bits_(bits) {}

  unsigned Take(unsigned choices) {
    const Uint128 product = static_cast<Uint128>(bits_) * choices;
    bits_ = static_cast<uint64_t>(product);
    return static_cast<unsigned>(product >> 64);
  }

 private:
  uint64_t bits_;
};

// How much one draw of 64 bits gives: so little that no outcome is likelier than another by more
// than one in a thousand, 10^16, 26^8 and 128^7 being far below 2^64.
constexpr size_t kDigitsPerDraw = 16;
constexpr size_t kLettersPerDraw = 8;
constexpr size_t kCharactersPerDraw = 7;

constexpr auto kDigitPairs = [] {
  struct {
    char text[100][2];
  } pairs{};
  for (int i = 0; i < 100; ++i) {
    pairs.text[i][0] = static_cast<char>('0' + i / 10);
    pairs.text[i][1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

constexpr uint32_t kIdBits = 31;
constexpr uint32_t kWideIdBits = 63;

}  // namespace

uint64_t MixSeed(uint64_t seed, uint64_t stream) {
  return Finalise(Finalise(seed + kGoldenGamma) + kGoldenGamma * (stream + 1));
}

Random::Random(uint64_t seed) {
  for (uint64_t& word : state_) word = Finalise(seed += kGoldenGamma);
}

uint64_t Random::Next() {
  const uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

int64_t Random::Uniform(int64_t min, int64_t max) {
  const uint64_t choices = static_cast<uint64_t>(max) - static_cast<uint64_t>(min) + 1;
  if (choices == 0) return static_cast<int64_t>(Next());  // All 2^64 of them.
  // Lemire, "Fast Random Integer Generation in an Interval" (2019): the few draws that would make
  // some integers likelier than others are drawn again.
  Uint128 product = static_cast<Uint128>(Next()) * choices;
  if (static_cast<uint64_t>(product) < choices) {
    const uint64_t surplus = -choices % choices;
    while (static_cast<uint64_t>(product) < surplus) {
      product = static_cast<Uint128>(Next()) * choices;
    }
  }
  return static_cast<int64_t>(static_cast<uint64_t>(min) + static_cast<uint64_t>(product >> 64));
}

TextPattern::TextPattern(std::string_view pattern) : pattern_(pattern) {
  for (uint32_t i = 0; i < pattern_.size(); ++i) {
    if (pattern_[i] == '#') digits_.push_back(i);
    if (pattern_[i] == '@') letters_.push_back(i);
  }
}

void TextPattern::Fill(Random& random, char* out) const {
  std::memcpy(out, pattern_.data(), pattern_.size());
  for (size_t i = 0; i < digits_.size();) {
    Fraction fraction(random.Next());
    const size_t end = std::min(i + kDigitsPerDraw, digits_.size());
    for (; i + 1 < end; i += 2) {
      const char* pair = kDigitPairs.text[fraction.Take(100)];
      out[digits_[i]] = pair[0];
      out[digits_[i + 1]] = pair[1];
    }
    if (i < end) out[digits_[i++]] = static_cast<char>('0' + fraction.Take(10));
  }
  for (size_t i = 0; i < letters_.size();) {
    Fraction fraction(random.Next());
    const size_t end = std::min(i + kLettersPerDraw, letters_.size());
    for (; i < end; ++i) out[letters_[i]] = static_cast<char>('a' + fraction.Take(26));
  }
}

size_t AlphabetText::Fill(Random& random, char* out) const {
  const auto length = static_cast<size_t>(
      random.Uniform(static_cast<int64_t>(length_min_), static_cast<int64_t>(length_max_)));
  const auto choices = static_cast<unsigned>(alphabet_.size());
  for (size_t i = 0; i < length;) {
    Fraction fraction(random.Next());
    const size_t end = std::min(i + kCharactersPerDraw, length);
    for (; i < end; ++i) out[i] = alphabet_[fraction.Take(choices)];
  }
  return length;
}

int64_t UniqueIds::Next() {
  constexpr int64_t kIds = int64_t{1} << kIdBits;
  const auto place = static_cast<uint32_t>(next_ % kIds);
  next_ += streams_;
  return static_cast<int64_t>(Scramble<kIdBits>(place)) - kIds;
}

int64_t UniqueIds::NextWide() {
  constexpr uint64_t kPlaces = uint64_t{1} << kWideIdBits;
  const uint64_t place = ScrambleWide(next_ % kPlaces, kWideIdBits);
  next_ += streams_;
  return static_cast<int64_t>(place - kPlaces);
}

}  // namespace sysfleet
