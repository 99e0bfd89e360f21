#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "coordinator/report/report.h"

namespace sysfleet {
namespace {

class ReferenceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "reference_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  absl::StatusOr<std::vector<ReferenceRow>> Read(const std::string& csv) const {
    std::ofstream(path()) << csv;
    return ReadReference(path());
  }
  std::string path() const { return folder_ + "/reference.csv"; }

  std::string folder_;
};

/// Tests run in the project's folder.
TEST(ReferenceFilesTest, ReadsTheFormWithThreads) {
  const auto rows = ReadReference("deploy/reference/tdstore-v20.0.0.csv");
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 36u);
  EXPECT_EQ(rows->front().workload, "oltp_point_select");
  EXPECT_EQ(rows->back().workload, "oltp_read_write");
  EXPECT_EQ(rows->back().threads, 1024);
  EXPECT_EQ(rows->back().tps, 7363.82);
  EXPECT_EQ(rows->back().qps, 147276.35);
  EXPECT_EQ(rows->back().p95_ms, 231.53);
}

TEST(ReferenceFilesTest, ReadsTheFormPerSecond) {
  const auto rows = ReadReference("deploy/reference/yugabytedb-2026.1.2.csv");
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 4u);
  EXPECT_EQ((*rows)[1].workload, "oltp_read_write");
  EXPECT_EQ((*rows)[1].threads, 0);
  EXPECT_EQ((*rows)[1].tps, 245.49);
  EXPECT_EQ((*rows)[1].qps, 7855.68);
  EXPECT_EQ((*rows)[1].p95_ms, 0);
}

TEST_F(ReferenceTest, TakesColumnsInAnyOrderAndWhatEditorsLeave) {
  const auto rows = Read("\xEF\xBB\xBFtps, note ,workload,threads\r\n\r\n 1.5 , x ,w, 8\r\n");
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->front().workload, "w");
  EXPECT_EQ(rows->front().threads, 8);
  EXPECT_EQ(rows->front().tps, 1.5);
  EXPECT_EQ(rows->front().qps, 0);
}

TEST_F(ReferenceTest, SaysWhatIsWrongAndWhere) {
  const struct {
    const char* csv;
    const char* message;
  } cases[] = {
      {"", ":1: it has no rows"},
      {"workload,threads,tps\n", ":1: it has no rows"},
      {"workload,tps\nw,1\n",
       ":1: expected a head with workload, threads and tps, or with workload and txn_per_s"},
      {"name,txn_per_s\nw,1\n",
       ":1: expected a head with workload, threads and tps, or with workload and txn_per_s"},
      {"workload,threads,tps\nw,1,5\nw,2\n", ":3: expected 3 fields as in the head, got 2"},
      {"workload,threads,tps\nw,1,1,234\n", ":2: expected 3 fields as in the head, got 4"},
      {"workload,threads,tps\nw,1,fast\n", ":2: tps: expected a number, got 'fast'"},
      {"workload,threads,tps\nw,1,5x\n", ":2: tps: expected a number, got '5x'"},
      {"workload,threads,tps\nw,1,nan\n", ":2: tps: expected a number, got 'nan'"},
      {"workload,threads,tps\nw,1,-5\n", ":2: tps: expected a number, got '-5'"},
      {"workload,threads,tps\nw,,5\n", ":2: threads: expected a whole number, got ''"},
      {"workload,threads,tps\nw,1.5,5\n", ":2: threads: expected a whole number, got '1.5'"},
      {"workload,threads,tps\nw,0,5\n", ":2: threads: expected a whole number from 1, got 0"},
      {"workload,txn_per_s,queries_per_s\nw,1,x\n",
       ":2: queries_per_s: expected a number, got 'x'"},
      {"workload,threads,tps\n,1,5\n", ":2: workload: expected a name"},
      {"workload,threads,tps\nw,1,5\nv,1,5\nw,1,6\n", ":4: a second row for w with 1 threads"},
      {"workload,txn_per_s\nw,5\nw,6\n", ":3: a second row for w"},
  };
  for (const auto& c : cases) {
    const auto rows = Read(c.csv);
    ASSERT_FALSE(rows.ok()) << c.csv;
    EXPECT_EQ(rows.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Message(rows.status()), path() + c.message) << c.csv;
  }
}

TEST_F(ReferenceTest, NamesAFileThatIsNotThere) {
  const auto rows = ReadReference(folder_ + "/none.csv");
  EXPECT_EQ(rows.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(rows.status()), folder_ + "/none.csv: No such file or directory");
}

TEST_F(ReferenceTest, NamesAFolder) {
  const auto rows = ReadReference(folder_);
  EXPECT_FALSE(rows.ok());
  EXPECT_THAT(Message(rows.status()), ::testing::HasSubstr("it cannot be read"));
}

}  // namespace
}  // namespace sysfleet
