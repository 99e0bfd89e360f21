// The two published benchmarks, as `coordinator check` reads their plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/fleet.h"
#include "tests/support/subprocess.h"

namespace sysfleet {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

ProgramOutput Check(const std::string& plan) {
  auto output = RunProgram({CoordinatorProgram(), "check", plan}, "", {"DB_PASSWORD=secret-word"});
  EXPECT_TRUE(output.ok()) << output.status();
  return output.ok() ? *std::move(output) : ProgramOutput{};
}

TEST(PublishedPlans, Tdstore) {
  const ProgramOutput check = Check("deploy/plans/tdstore-sysbench.yaml");
  ASSERT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("36 cells"));
  // 1024 connections over three agents, and over three nodes.
  EXPECT_THAT(check.out,
              ContainsRegex("\n +36 +oltp_read_write +1,?024 +342 +341 +341 +342 +341 +341 "));
  EXPECT_THAT(check.out, testing::Not(HasSubstr("secret-word")));
}

TEST(PublishedPlans, Yugabytedb) {
  const ProgramOutput check = Check("deploy/plans/yugabytedb-sysbench.yaml");
  ASSERT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("20 tables x 5,000,000 rows"));
  EXPECT_THAT(check.out, HasSubstr("oltp_multi_insert"));
}

}  // namespace
}  // namespace sysfleet
