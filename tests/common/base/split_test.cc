#include "common/base/split.h"

#include <gtest/gtest.h>

namespace sysfleet {
namespace {

static_assert(ShareOf(1024, 3, 0) == 342);
static_assert(ShareOf(1024, 3, 1) == 341);
static_assert(ShareOf(1024, 3, 2) == 341);
static_assert(ShareBefore(1024, 3, 2) == 683);

TEST(Split, SharesFollowOneAnotherAndAddUpToTheTotal) {
  const int64_t totals[] = {0, 1, 2, 3, 7, 60, 1024, 320'000'000, INT64_MAX};
  for (const int64_t total : totals) {
    for (const int64_t parts : {1, 2, 3, 5, 7, 64, 1000}) {
      int64_t before = 0;
      for (int64_t index = 0; index < parts; ++index) {
        ASSERT_EQ(ShareBefore(total, parts, index), before) << total << "/" << parts;
        const int64_t share = ShareOf(total, parts, index);
        ASSERT_GE(share, total / parts);
        ASSERT_LE(share, ShareOf(total, parts, 0));  // Earlier parts get the rest.
        ASSERT_LE(ShareOf(total, parts, 0) - share, 1);
        before += share;
      }
      ASSERT_EQ(before, total);
      ASSERT_EQ(ShareBefore(total, parts, parts), total);
    }
  }
}

}  // namespace
}  // namespace sysfleet
