#include "coordinator/fleet/local_agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "common/base/status.h"

namespace sysfleet {
namespace {

constexpr std::chrono::seconds kStartLimit{10};
constexpr std::chrono::seconds kEndLimit{6};
constexpr std::chrono::milliseconds kPoll{5};

// Beside this program when installed, in the neighbouring folder of a build tree, or in PATH.
std::string FindProgram() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto folder = self.parent_path();
  for (const auto& candidate : {folder / "agent", folder.parent_path() / "agent" / "agent"}) {
    if (access(candidate.c_str(), X_OK) == 0 &&
        std::filesystem::is_regular_file(candidate, error)) {
      return candidate;
    }
  }
  return "agent";
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalAgent>> LocalAgent::Start() {
  std::string folder = (std::filesystem::temp_directory_path() / "sysfleet-agent-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::UnavailableError(
        fmt::format("cannot make a temporary folder {}: {}", folder, std::strerror(errno)));
  }
  auto agent = std::unique_ptr<LocalAgent>(new LocalAgent(folder));
  if (auto status = agent->Spawn(); !status.ok()) return status;
  if (auto status = agent->AwaitAddress(); !status.ok()) return status;
  return agent;
}

absl::Status LocalAgent::Spawn() {
  const std::string program = FindProgram();
  const std::string announce = folder_ + "/address";
  const std::string log = folder_ + "/log";
  const std::array<const char*, 7> arguments = {program.c_str(), "--listen",       "127.0.0.1:0",
                                                "--announce",    announce.c_str(), "--with-parent",
                                                nullptr};
  pid_ = fork();
  if (pid_ < 0) return absl::UnavailableError(fmt::format("fork: {}", std::strerror(errno)));
  if (pid_ > 0) return absl::OkStatus();
  // The child. A group of its own, so that Ctrl-C reaches the coordinator alone, which then ends
  // it.
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(fd, STDOUT_FILENO);
  dup2(fd, STDERR_FILENO);
  execvp(program.c_str(), const_cast<char* const*>(arguments.data()));
  dprintf(STDERR_FILENO, "%s: %s\n", program.c_str(), std::strerror(errno));
  _exit(127);
}

absl::Status LocalAgent::AwaitAddress() {
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  const std::string announce = folder_ + "/address";
  while (std::chrono::steady_clock::now() < deadline) {
    std::string address = ReadAll(announce);
    if (!address.empty()) {
      if (address.back() == '\n') address.pop_back();
      auto endpoint = ParseEndpoint(address, 0);
      if (!endpoint.ok()) return endpoint.status();
      endpoint_ = *endpoint;
      return absl::OkStatus();
    }
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      return absl::UnavailableError(
          fmt::format("the agent on this machine ended at once: {}", ReadAll(folder_ + "/log")));
    }
    std::this_thread::sleep_for(kPoll);
  }
  return absl::UnavailableError("the agent on this machine did not begin to listen within 10 s");
}

LocalAgent::~LocalAgent() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    const auto deadline = std::chrono::steady_clock::now() + kEndLimit;
    while (waitpid(pid_, nullptr, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > deadline) kill(pid_, SIGKILL);
      std::this_thread::sleep_for(kPoll);
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace sysfleet
