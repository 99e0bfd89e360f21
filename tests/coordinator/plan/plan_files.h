// A folder for a test's files, which goes with the object.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace sysfleet {

class PlanFiles {
 public:
  PlanFiles() {
    std::string pattern = ::testing::TempDir() + "sysfleet-plan-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  ~PlanFiles() { std::filesystem::remove_all(directory_); }
  PlanFiles(const PlanFiles&) = delete;
  PlanFiles& operator=(const PlanFiles&) = delete;

  const std::string& directory() const { return directory_; }

  std::string PathOf(std::string_view name) const {
    return (std::filesystem::path(directory_) / name).string();
  }

  void Write(std::string_view name, std::string_view content) const {
    const std::filesystem::path path = PathOf(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }

 private:
  std::string directory_;
};

}  // namespace sysfleet
