#include "coordinator/fleet/capacity.h"

#include <gtest/gtest.h>

namespace sysfleet {
namespace {

const std::vector<CoreRate> kRates = {{64, 100'000}, {1024, 80'000}};

TEST(QpsPerCoreTest, LiesBetweenWhatWasMeasured) {
  const struct {
    double connections;
    double qps;
  } cases[] = {
      {0.5, 100'000},
      {1, 100'000},
      {64, 100'000},
      // 64 x 2, x 4 and x 8 are a quarter, half and three quarters of the way to 64 x 16.
      {128, 95'000},
      {256, 90'000},
      {512, 85'000},
      {1024, 80'000},
      {5000, 80'000},
  };
  for (const auto& c : cases) EXPECT_NEAR(QpsPerCore(kRates, c.connections), c.qps, 1e-6);
  EXPECT_EQ(QpsPerCore(std::vector<CoreRate>{{64, 7}}, 1), 7);
  EXPECT_EQ(QpsPerCore(std::vector<CoreRate>{{64, 7}}, 100), 7);
}

TEST(CoresNeededTest, CountsCoresThatShareTheConnections) {
  const std::vector<ClientMachine> calibrated = {{2, kRates}};
  // One core of 100,000 and three of 60,000 are 70,000 a core; the machine between is not known.
  const std::vector<ClientMachine> mixed = {
      {1, {{64, 100'000}}}, {8, {}}, {3, {{64, 60'000}, {1024, 60'000}}}};
  const struct {
    std::vector<ClientMachine> machines;
    double qps;
    int threads;
    std::optional<int> cores;
  } cases[] = {
      {calibrated, 1, 1, 1},
      {calibrated, 100'000, 64, 1},
      {calibrated, 100'001, 64, 2},
      // With 1,024 connections: 80,000 on one core, 2 x 85,000 on two, 4 x 90,000 on four.
      {calibrated, 80'000, 1024, 1},
      {calibrated, 80'001, 1024, 2},
      {calibrated, 170'000, 1024, 2},
      {calibrated, 360'000, 1024, 4},
      {calibrated, 360'001, 1024, 5},
      // Sixteen with 64 connections each.
      {calibrated, 1'600'000, 1024, 16},
      {mixed, 70'000, 64, 1},
      {mixed, 280'000, 64, 4},
      {mixed, 280'001, 64, 5},
      {{}, 1, 1, std::nullopt},
      {{{8, {}}}, 1, 1, std::nullopt},
      {{{0, kRates}}, 1, 1, std::nullopt},
      {calibrated, 1e300, 1, 1'000'000},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(CoresNeeded(c.machines, c.qps, c.threads), c.cores)
        << c.qps << " QPS, " << c.threads << " threads";
  }
  EXPECT_EQ(CoresOf(mixed), 12);
  EXPECT_EQ(CoresOf({}), 0);
}

}  // namespace
}  // namespace sysfleet
