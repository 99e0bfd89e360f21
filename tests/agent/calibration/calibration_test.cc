#include "agent/calibration/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "agent/calibration/text.h"
#include "agent/engine/cores.h"
#include "common/base/status.h"
#include "common/base/version.h"

namespace sysfleet {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::FieldsAre;
using testing::HasSubstr;

constexpr uint64_t kManyFiles = std::numeric_limits<uint64_t>::max();

TEST(CalibrationPairsTest, PairsCoresAsFarAsFilesGo) {
  const struct {
    size_t cores;
    uint64_t open_files;
    int connections_max;
    size_t pairs;
  } cases[] = {
      {1, kManyFiles, 64, 0},
      {2, kManyFiles, 1024, 1},
      {3, kManyFiles, 1024, 1},
      {8, kManyFiles, 1024, 4},
      {96, kManyFiles, 1024, 16},
      // A pair takes 2 x 1024 files, and 128 are for the rest.
      {8, 2 * 2048 + 128, 1024, 2},
      {8, 2 * 2048 + 127, 1024, 1},
      {8, 1024, 1024, 0},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(CalibrationPairs(c.cores, c.open_files, c.connections_max), c.pairs)
        << c.cores << " cores, " << c.open_files << " files";
  }
}

TEST(CalibrateTest, MeasuresEveryFamilyWithEveryNumberOfConnections) {
  if (UsableCores().size() < 2) GTEST_SKIP() << "needs two cores";
  std::vector<CoreRate> told;
  const auto calibration =
      Calibrate({.time = milliseconds(200), .connections = {2, 8}, .open_files = 1000},
                [&](const CoreRate& rate) { told.push_back(rate); });
  ASSERT_TRUE(calibration.ok()) << Message(calibration.status());
  // A core of any machine executes more than 1,000 and less than 10,000,000 statements a second.
  const auto plausible = testing::AllOf(testing::Gt(1e3), testing::Lt(1e7));
  const auto all = ElementsAre(FieldsAre(DriverFamily::kPostgresql, 2, plausible),
                               FieldsAre(DriverFamily::kPostgresql, 8, plausible),
                               FieldsAre(DriverFamily::kMysql, 2, plausible),
                               FieldsAre(DriverFamily::kMysql, 8, plausible));
  EXPECT_THAT(calibration->rates, all);
  EXPECT_THAT(told, all);
  EXPECT_EQ(calibration->cores, MachineCores());
  EXPECT_EQ(calibration->version, kVersion);
  EXPECT_EQ(calibration->measured_at.size(), std::string("2026-11-30T19:02:14Z").size());
}

TEST(CalibrateTest, SaysHowManyFilesItNeeds) {
  if (UsableCores().size() < 2) GTEST_SKIP() << "needs two cores";
  const auto calibration = Calibrate({.open_files = 1024}, [](const CoreRate&) {});
  EXPECT_EQ(calibration.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(calibration.status()),
              HasSubstr("1024 connections to this process itself need 2176 open files, it may have "
                        "1024"));
}

TEST(CalibrateTest, RefusesOneCore) {
  const std::vector<int> cores = UsableCores();
  ASSERT_FALSE(cores.empty());
  absl::Status status;
  // A thread's cores are its own.
  std::thread thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cores.front(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    status = Calibrate({.open_files = kManyFiles}, [](const CoreRate&) {}).status();
  });
  thread.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Message(status), HasSubstr("two cores"));
}

TEST(CalibrationTextTest, IsATable) {
  EXPECT_EQ(CalibrationHead() + CalibrationRow({DriverFamily::kPostgresql, 64, 108'000}, 4) +
                CalibrationRow({DriverFamily::kMysql, 1024, 64'000}, 4),
            "family      connections/core  QPS per core  CPU us each    QPS in all\n"
            "postgresql                64       108,000         9.26       432,000\n"
            "mysql                  1,024        64,000        15.62       256,000\n");
}

}  // namespace
}  // namespace sysfleet
