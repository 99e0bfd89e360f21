#include "coordinator/run/steady.h"

#include <gtest/gtest.h>

#include <vector>

namespace sysfleet {
namespace {

TEST(IsSteady, NeedsTenSeconds) {
  EXPECT_FALSE(IsSteady({}));
  EXPECT_FALSE(IsSteady(std::vector<double>(9, 100)));
  EXPECT_TRUE(IsSteady(std::vector<double>(10, 100)));
  EXPECT_FALSE(IsSteady(std::vector<double>(10, 0)));
}

TEST(IsSteady, LooksAtTheLastTenOnly) {
  std::vector<double> transactions(30, 1);
  transactions.insert(transactions.end(), 10, 100);
  EXPECT_TRUE(IsSteady(transactions));
  transactions.back() = 50;  // the second half's mean falls from 100 to 90
  EXPECT_FALSE(IsSteady(transactions));
}

TEST(IsSteady, SeesATrend) {
  // Halves of 100 and 102: their difference is just below 2 % of the mean, 101.
  std::vector<double> transactions(5, 100);
  transactions.insert(transactions.end(), 5, 102);
  EXPECT_TRUE(IsSteady(transactions));
  for (size_t i = 5; i < 10; ++i) transactions[i] = 103;
  EXPECT_FALSE(IsSteady(transactions));
}

TEST(IsSteady, SeesADatabaseThatIsBusyNowAndThen) {
  // The same mean in both halves; the deviation is 8 % of it, then 13 %.
  EXPECT_TRUE(IsSteady(std::vector<double>{91, 109, 91, 109, 100, 91, 109, 91, 109, 100}));
  EXPECT_FALSE(IsSteady(std::vector<double>{85, 115, 85, 115, 100, 85, 115, 85, 115, 100}));
}

}  // namespace
}  // namespace sysfleet
