#include "tests/end_to_end/fleet.h"

#include <fmt/format.h>

#include "absl/status/status.h"

namespace sysfleet {

std::string CoordinatorProgram() {
  return SYSFLEET_BINARY_DIR "/coordinator/coordinator";
}

std::string AgentProgram() {
  return SYSFLEET_BINARY_DIR "/agent/agent";
}

std::filesystem::path SourceFolder() {
  return SYSFLEET_SOURCE_DIR;
}

absl::StatusOr<Fleet> Fleet::Start(int agents, const std::filesystem::path& folder,
                                   const std::vector<std::string>& options) {
  Fleet fleet;
  for (int i = 0; i < agents; ++i) {
    const std::filesystem::path announced = folder / fmt::format("agent-{}.address", i);
    std::vector<std::string> arguments = {AgentProgram(), "--listen", "127.0.0.1:0", "--announce",
                                          announced.string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    auto agent = Process::Start(arguments, folder / fmt::format("agent-{}.log", i));
    if (!agent.ok()) return agent.status();
    Process& process = **agent;
    fleet.agents_.push_back(*std::move(agent));
    std::string address;
    const bool listens = Eventually([&] {
      address = ReadFile(announced);
      return address.ends_with('\n') || !process.Runs();
    });
    if (!listens || !process.Runs()) {
      return absl::InternalError(fmt::format("agent {} does not listen: {}", i, process.Output()));
    }
    address.pop_back();
    fleet.addresses_.push_back(address);
  }
  return fleet;
}

}  // namespace sysfleet
