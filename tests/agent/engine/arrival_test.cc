#include "agent/engine/arrival.h"

#include <gtest/gtest.h>

namespace sysfleet {
namespace {

TEST(ArrivalTest, IsTheKernelsWhereThatIsPossible) {
  constexpr int64_t kSent = 5'000'000'000;
  constexpr int64_t kBatch = 5'020'000'000;
  const struct {
    int64_t noted;
    int64_t arrival;
  } cases[] = {
      {0, kBatch},                         // not noted
      {5'001'000'000, 5'001'000'000},      // lay in the socket for 19 ms
      {kSent, kSent},                      //
      {5'021'000'000, 5'021'000'000},      // came while the batch was worked on
      {kSent - 1, kBatch},                 // the wall clock was set back
      {kBatch + kNanosPerSecond, kBatch},  // or forward
      {kBatch + kNanosPerSecond - 1, kBatch + kNanosPerSecond - 1},
  };
  for (const auto& c : cases) EXPECT_EQ(ArrivalOf(c.noted, kSent, kBatch), c.arrival) << c.noted;
}

}  // namespace
}  // namespace sysfleet
