#include "tests/end_to_end/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "absl/status/status.h"

namespace sysfleet {

bool Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

absl::StatusOr<std::unique_ptr<Process>> Process::Start(const std::vector<std::string>& arguments,
                                                        const std::filesystem::path& output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::InternalError(fmt::format("{}: {}", arguments[0], std::strerror(error)));
  }
  return std::unique_ptr<Process>(new Process(pid, output));
}

Process::~Process() {
  if (!Runs()) return;
  Signal(SIGKILL);
  Reap(kPatience);
}

void Process::Signal(int number) {
  if (!exit_code_) kill(pid_, number);
}

std::optional<int> Process::Wait() {
  Reap(kPatience);
  return exit_code_;
}

bool Process::Runs() {
  return !Reap(std::chrono::milliseconds(0));
}

bool Process::Reap(std::chrono::milliseconds limit) {
  if (exit_code_) return true;
  // glibc 2.36 declares pidfd_open without C linkage.
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  pollfd ended{.fd = fd, .events = POLLIN, .revents = 0};
  const bool has_ended = poll(&ended, 1, static_cast<int>(limit.count())) > 0;
  close(fd);
  if (!has_ended) return false;
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) return false;
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

std::string Process::Output() const {
  return ReadFile(output_);
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace sysfleet
