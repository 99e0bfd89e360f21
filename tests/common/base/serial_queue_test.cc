#include "common/base/serial_queue.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace sysfleet {
namespace {

TEST(SerialQueue, CallsEverythingInOrderBeforeItEnds) {
  std::vector<int> seen;
  {
    SerialQueue queue;
    for (int i = 0; i < 1000; ++i) queue.Post([&seen, i] { seen.push_back(i); });
  }
  ASSERT_EQ(seen.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST(SerialQueue, TakesCallsFromManyThreadsAndFromItself) {
  int count = 0;  // touched by the queue's thread only
  {
    SerialQueue queue;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          queue.Post([&] { queue.Post([&] { ++count; }); });
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(count, 2000);
}

}  // namespace
}  // namespace sysfleet
