#include "common/base/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace sysfleet {
namespace {

TEST(OpenFiles, AreRaisedToTheHardLimit) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low = {.rlim_cur = 64, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(OpenFilesLimit(), 64U);
  RaiseOpenFilesLimit();
  EXPECT_EQ(OpenFilesLimit(), before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace sysfleet
