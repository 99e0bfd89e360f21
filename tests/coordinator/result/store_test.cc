#include "coordinator/result/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "common/base/status.h"
#include "tests/coordinator/result/sample.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "store_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  std::string folder_;
};

TEST_F(StoreTest, WritesAndReplacesAFile) {
  const std::string path = folder_ + "/result.json";
  ASSERT_TRUE(WriteFileAtomically(path, "a long first text").ok());
  ASSERT_TRUE(WriteFileAtomically(path, "second").ok());
  EXPECT_EQ(ReadFile(path), "second");
  EXPECT_THAT(Names(), ElementsAre("result.json"));
}

TEST_F(StoreTest, TakesAPathWithoutAFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  EXPECT_TRUE(WriteFileAtomically("plain.txt", "x").ok());
  std::filesystem::current_path(before);
  EXPECT_THAT(Names(), ElementsAre("plain.txt"));
}

TEST_F(StoreTest, AMissingFolderIsNamed) {
  const absl::Status status = WriteFileAtomically(folder_ + "/none/result.json", "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(status), StartsWith(folder_ + "/none/result.json: No such file"));
}

/// Files may not grow beyond `bytes` while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  sighandler_t handler_;
  rlimit before_{};
};

TEST_F(StoreTest, AFailedWriteLeavesTheOldFileAlone) {
  const std::string path = folder_ + "/result.json";
  ASSERT_TRUE(WriteFileAtomically(path, "old").ok());
  absl::Status status;
  {
    const FileSizeLimit limit(1000);
    status = WriteFileAtomically(path, std::string(5000, 'x'));
  }
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(Message(status), StartsWith(path + ": "));
  EXPECT_EQ(ReadFile(path), "old");
  EXPECT_THAT(Names(), ElementsAre("result.json"));
}

TEST_F(StoreTest, AFailedRenameLeavesNoTemporaryFile) {
  const std::string path = folder_ + "/result.json";
  ASSERT_TRUE(std::filesystem::create_directory(path));
  EXPECT_FALSE(WriteFileAtomically(path, "x").ok());
  EXPECT_THAT(Names(), ElementsAre("result.json"));
}

TEST_F(StoreTest, AFolderThatCannotBeWrittenIsNamedWithWhatToDo) {
  ASSERT_EQ(chmod(folder_.c_str(), 0555), 0);
  // Permissions do not hold root back.
  const bool is_root = geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  const absl::Status status = WriteFileAtomically(folder_ + "/result.json", "x");
  const absl::StatusOr<std::string> created = CreateResultFolder(folder_, "run");
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Message(status), folder_ +
                                 "/result.json: Permission denied; make its folder writable for "
                                 "this user, or set report.directory to another one");
  EXPECT_THAT(Message(created.status()), StartsWith(folder_ + "/run: Permission denied"));
}

TEST_F(StoreTest, AFullDiskIsNamedWithWhatToDo) {
  absl::Status status;
  std::vector<std::string> names;
  bool is_mounted = false;
  // Mounts of a thread with a namespace of its own are gone when it ends.
  std::thread([&] {
    if (unshare(CLONE_FS | CLONE_NEWNS) != 0) return;
    if (mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
    if (mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=64k") != 0) return;
    is_mounted = true;
    status = WriteFileAtomically(folder_ + "/result.json", std::string(1 << 20, 'x'));
    names = Names();
  }).join();
  if (!is_mounted) GTEST_SKIP() << "mounting a small file system needs privileges";
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Message(status), folder_ +
                                 "/result.json: No space left on device; free some space, or set "
                                 "report.directory to another disk");
  EXPECT_TRUE(names.empty());
}

TEST_F(StoreTest, AFolderOfResultsIsNeverUsedAgain) {
  const std::string parent = folder_ + "/deep/results";
  std::vector<std::string> made;
  for (int i = 0; i < 3; ++i) {
    const absl::StatusOr<std::string> folder = CreateResultFolder(parent, "run");
    ASSERT_TRUE(folder.ok()) << folder.status();
    EXPECT_TRUE(std::filesystem::is_directory(*folder));
    made.push_back(*folder);
  }
  EXPECT_THAT(made, ElementsAre(parent + "/run", parent + "/run-2", parent + "/run-3"));
}

TEST_F(StoreTest, AFileInTheWayOfTheFolderIsNamed) {
  const std::string parent = folder_ + "/results";
  ASSERT_TRUE(WriteFileAtomically(parent, "x").ok());
  const absl::StatusOr<std::string> folder = CreateResultFolder(parent, "run");
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(Message(folder.status()), StartsWith(parent + ": Not a directory"));
}

TEST_F(StoreTest, AFolderHasAPlainName) {
  for (const char* name : {"", "a/b", "../a"}) {
    EXPECT_EQ(CreateResultFolder(folder_, name).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(StoreTest, StoresPlanResultAndWindows) {
  const RunResult run = SampleRun();
  ASSERT_TRUE(StoreResult(run, folder_).ok());
  EXPECT_THAT(Names(), UnorderedElementsAre("plan.yaml", "result.json", "windows.csv"));
  EXPECT_EQ(ReadFile(folder_ + "/plan.yaml"), "name: sample\n");
  EXPECT_EQ(ReadFile(folder_ + "/windows.csv"), WindowsCsv(run));
  EXPECT_EQ(ReadFile(folder_ + "/result.json"), ToJson(run));
}

TEST(WindowsCsvTest, HasALineForEachWindow) {
  EXPECT_EQ(
      WindowsCsv(SampleRun()),
      "cell,workload,threads,second,phase,gap,transactions,reads,writes,others,errors,"
      "reconnects,mean_ms,p95_ms,p99.9_ms,max_ms,merged_after_ms,rate,queued,active\n"
      "1,oltp_read_write,16,0,warm-up,0,2,28,8,4,0,0,0.000000,0.000000,0.000000,0.000000,12.500,,,"
      "\n"
      "1,oltp_read_write,16,1,measured,1,4,56,16,8,3,1,1.234568,2.999295,3.000319,"
      "3600000.000001,,,,\n"
      "2,oltp_insert,4,0,measured,0,2,0,0,0,0,0,0.000000,6.000000,6.000000,0.000000,,7.5,3,4\n");
}

TEST(WindowsCsvTest, QuotesWhatACsvWouldTakeForItsOwn) {
  RunResult run = SampleRun();
  run.cells[0].workload = "reads, \"hot\"";
  EXPECT_THAT(WindowsCsv(run), HasSubstr("\n1,\"reads, \"\"hot\"\"\",16,0,"));
}

}  // namespace
}  // namespace sysfleet
