#include "tests/support/subprocess.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/status/status.h"

namespace sysfleet {
namespace {

// The streams are nameless files: unlike pipes they can be read when all is over.
using File = std::unique_ptr<std::FILE, decltype([](std::FILE* file) { std::fclose(file); })>;

std::string ReadAll(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char buffer[4096];
  while (size_t size = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, size);
  return text;
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  return pointers;
}

int WaitForExit(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

absl::StatusOr<ProgramOutput> RunProgram(const std::vector<std::string>& arguments,
                                         std::string_view input,
                                         const std::vector<std::string>& environment) {
  File in(std::tmpfile());
  File out(std::tmpfile());
  File err(std::tmpfile());
  if (!in || !out || !err) return absl::InternalError("no temporary file can be made");
  if (!input.empty()) std::fwrite(input.data(), 1, input.size(), in.get());
  std::rewind(in.get());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), STDERR_FILENO);

  std::vector<char*> argv = Pointers(arguments);
  argv.push_back(nullptr);
  // The first of two values of one name counts.
  std::vector<char*> env = Pointers(environment);
  for (char** variable = environ; *variable != nullptr; ++variable) env.push_back(*variable);
  env.push_back(nullptr);

  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::InternalError(fmt::format("{}: {}", arguments[0], std::strerror(error)));
  }
  ProgramOutput output;
  output.exit_code = WaitForExit(pid);
  output.out = ReadAll(out.get());
  output.err = ReadAll(err.get());
  return output;
}

}  // namespace sysfleet
