#include "agent/calibration/store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "common/base/status.h"

namespace sysfleet {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kText = R"({
  "format": 1,
  "measured_at": "2026-11-30T19:02:14Z",
  "version": "0.1.0",
  "host": "client-1",
  "cores": 8,
  "rates": [
    {
      "family": "postgresql",
      "connections": 64,
      "qps_per_core": 108000.0
    },
    {
      "family": "mysql",
      "connections": 1024,
      "qps_per_core": 64000.0
    }
  ]
}
)";

Calibration Sample() {
  return {
      .measured_at = "2026-11-30T19:02:14Z",
      .version = "0.1.0",
      .host = "client-1",
      .cores = 8,
      .rates = {{DriverFamily::kPostgresql, 64, 108'000}, {DriverFamily::kMysql, 1024, 64'000}}};
}

TEST(CalibrationJsonTest, WritesAndReadsTheSame) {
  EXPECT_EQ(ToJson(Sample()), kText);
  const auto read = CalibrationFromJson(kText);
  ASSERT_TRUE(read.ok()) << Message(read.status());
  EXPECT_EQ(read->measured_at, "2026-11-30T19:02:14Z");
  EXPECT_EQ(read->version, "0.1.0");
  EXPECT_EQ(read->host, "client-1");
  EXPECT_EQ(read->cores, 8);
  EXPECT_THAT(read->rates, ElementsAre(FieldsAre(DriverFamily::kPostgresql, 64, 108'000),
                                       FieldsAre(DriverFamily::kMysql, 1024, 64'000)));
}

TEST(CalibrationJsonTest, RefusesWhatNoMachineCanHave) {
  const struct {
    const char* from;
    const char* to;
    const char* message;
  } cases[] = {
      {"\"format\": 1", "\"format\": 2", "format: this agent reads 1, the file has 2"},
      {"\"cores\": 8", "\"cores\": 0", "cores: expected 1 to 65536, got 0"},
      {"\"cores\": 8", "\"cores\": \"8\"", "type must be number"},
      {"\"cores\": 8", "\"core\": 8", "key 'cores' not found"},
      {"\"mysql\"", "\"oracle\"", "family: there is no 'oracle'"},
      {"1024", "-1", "connections: expected 1 to 1000000, got -1"},
      {"1024", "4294967297", "connections: expected 1 to 1000000, got 4294967297"},
      {"64000.0", "0", "qps_per_core: expected 100 to 100000000, got 0"},
      {"64000.0", "-64000.0", "qps_per_core: expected 100 to 100000000, got -64000"},
      {"64000.0", "1e300", "qps_per_core: expected 100 to 100000000, got 1e+300"},
      {"64000.0", "null", "type must be number"},
      {"{\n", "", "parse error"},
  };
  for (const auto& c : cases) {
    std::string text = kText;
    const size_t place = text.find(c.from);
    ASSERT_NE(place, std::string::npos) << c.from;
    text.replace(place, std::string_view(c.from).size(), c.to);
    const absl::Status status = CalibrationFromJson(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(Message(status), HasSubstr(c.message));
  }
}

TEST(DefaultCalibrationPathTest, IsWhereAServiceOrItsUserKeepsState) {
  const struct {
    std::map<std::string, const char*> environment;
    std::optional<std::string> path;
  } cases[] = {
      {{{"STATE_DIRECTORY", "/var/lib/sysfleet"}, {"XDG_STATE_HOME", "/x"}, {"HOME", "/home/a"}},
       "/var/lib/sysfleet/calibration.json"},
      {{{"STATE_DIRECTORY", "/var/lib/sysfleet:/var/lib/other"}},
       "/var/lib/sysfleet/calibration.json"},
      {{{"XDG_STATE_HOME", "/x"}, {"HOME", "/home/a"}}, "/x/sysfleet/calibration.json"},
      {{{"XDG_STATE_HOME", "relative"}, {"HOME", "/home/a"}},
       "/home/a/.local/state/sysfleet/calibration.json"},
      {{{"XDG_STATE_HOME", ""}, {"HOME", "/home/a"}},
       "/home/a/.local/state/sysfleet/calibration.json"},
      {{}, std::nullopt},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(DefaultCalibrationPath([&](const char* name) {
                const auto found = c.environment.find(name);
                return found == c.environment.end() ? nullptr : found->second;
              }),
              c.path);
  }
}

class CalibrationFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "calibration.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ + "/state/sysfleet/calibration.json";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  std::string path_;
};

TEST_F(CalibrationFileTest, StoresInAFolderThatItMakes) {
  EXPECT_EQ(LoadCalibration(path_, 8).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(StoreCalibration(Sample(), path_).ok());
  const auto loaded = LoadCalibration(path_, 8);
  ASSERT_TRUE(loaded.ok()) << Message(loaded.status());
  EXPECT_EQ(ToJson(*loaded), kText);
}

TEST_F(CalibrationFileTest, RefusesAnotherMachines) {
  ASSERT_TRUE(StoreCalibration(Sample(), path_).ok());
  const absl::Status status = LoadCalibration(path_, 4).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Message(status), path_ + ": measured with 8 cores, this machine has 4");
}

TEST_F(CalibrationFileTest, NamesWhatItCannotUse) {
  std::ofstream(folder_ + "/broken.json") << "{";
  for (const std::string& path : {folder_ + "/broken.json", folder_}) {
    const absl::Status status = LoadCalibration(path, 8).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(Message(status), StartsWith(path + ": "));
  }
  const std::string under_a_file = folder_ + "/broken.json/calibration.json";
  EXPECT_FALSE(StoreCalibration(Sample(), under_a_file).ok());
}

}  // namespace
}  // namespace sysfleet
