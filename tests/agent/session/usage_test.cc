#include "agent/session/usage.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace sysfleet {
namespace {

TEST(StolenTicks, IsTheEighthColumnOfAllCores) {
  struct Case {
    std::string name;
    std::string proc_stat;
    std::optional<int64_t> expected;
  };
  const Case cases[] = {
      {"of all cores, not of one",
       "cpu  1358916 3823 457909 438568 3807 0 16694 42 5 6\n"
       "cpu0 678804 1483 223456 227352 931 0 7700 40 0 0\n"
       "ctxt 5\n",
       42},
      {"the line alone", "cpu  1 2 3 4 5 6 7 8 9 10", 8},
      {"the last column, before guests were counted", "cpu  1 2 3 4 5 6 7 8\n", 8},
      {"nothing stolen", "cpu  1 2 3 4 5 6 7 0 0 0\n", 0},
      {"a long uptime", "cpu  1 2 3 4 5 6 7 99999999999 0 0\n", 99'999'999'999},
      {"no such column", "cpu  1 2 3 4 5 6 7\ncpu0 1 2 3 4 5 6 7 8\n", {}},
      {"only single cores", "cpu0 1 2 3 4 5 6 7 8 9 10\n", {}},
      {"not a number", "cpu  1 2 3 4 5 6 7 x 9 10\n", {}},
      {"negative", "cpu  1 2 3 4 5 6 7 -8 9 10\n", {}},
      {"beyond any number", "cpu  1 2 3 4 5 6 7 99999999999999999999 9 10\n", {}},
      {"nothing", "", {}},
      {"the word alone", "cpu ", {}},
  };
  for (const Case& c : cases) EXPECT_EQ(StolenTicks(c.proc_stat), c.expected) << c.name;
}

int64_t ProcessCpuNanos() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

TEST(UsageMeter, MeasuresFromCallToCall) {
  constexpr int64_t kBurnedNs = 20'000'000;
  UsageMeter meter;
  const int64_t begin_ns = ProcessCpuNanos();
  while (ProcessCpuNanos() < begin_ns + kBurnedNs) continue;
  const Usage burned = meter.Take();
  EXPECT_GE(burned.cpu_ns, kBurnedNs);
  // One thread takes at least as long as the CPU time that it uses.
  EXPECT_GE(burned.cores_ns, kBurnedNs);
  const Usage after = meter.Take();
  EXPECT_LT(after.cpu_ns, burned.cpu_ns) << "what was taken once is not taken again";
  EXPECT_GE(after.stolen_ns.value_or(0), 0);
}

}  // namespace
}  // namespace sysfleet
