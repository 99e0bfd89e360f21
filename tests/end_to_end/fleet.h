// Agents in processes of their own, on free loopback ports.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/end_to_end/process.h"

namespace sysfleet {

/// Paths of the programs under test.
std::string CoordinatorProgram();
std::string AgentProgram();
/// Of the checkout.
std::filesystem::path SourceFolder();

class Fleet {
 public:
  /// Returns when all agents listen. Their output goes to files in `folder`. `options` are of every
  /// agent.
  static absl::StatusOr<Fleet> Start(int agents, const std::filesystem::path& folder,
                                     const std::vector<std::string>& options = {});

  /// "127.0.0.1:7071" and so on.
  const std::vector<std::string>& addresses() const { return addresses_; }
  Process& agent(size_t index) { return *agents_[index]; }

 private:
  std::vector<std::unique_ptr<Process>> agents_;
  std::vector<std::string> addresses_;
};

}  // namespace sysfleet
