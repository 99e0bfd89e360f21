// A program of ours that keeps running while a test goes on. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace sysfleet {

/// How long a test waits for what must happen. Far longer than it takes, so that a slow machine
/// fails no test; only a test that fails waits so long.
inline constexpr std::chrono::seconds kPatience{60};

/// True as soon as `condition` is; false when it is not within kPatience.
bool Eventually(const std::function<bool()>& condition);

/// Killed by the destructor if it still runs.
class Process {
 public:
  /// `arguments` begins with the program's path. What it prints, on both streams, goes to the file
  /// `output`.
  static absl::StatusOr<std::unique_ptr<Process>> Start(const std::vector<std::string>& arguments,
                                                        const std::filesystem::path& output);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void Signal(int number);

  /// Waits for the end, at most kPatience: the exit code, as a shell gives it (128 + the signal's
  /// number where one ended it). Nothing where the program still runs.
  std::optional<int> Wait();

  bool Runs();

  /// All that it has printed so far.
  std::string Output() const;

 private:
  Process(pid_t pid, std::filesystem::path output) : pid_(pid), output_(std::move(output)) {}

  bool Reap(std::chrono::milliseconds limit);

  const pid_t pid_;
  const std::filesystem::path output_;
  std::optional<int> exit_code_;
};

/// The text of a file; empty where there is none.
std::string ReadFile(const std::filesystem::path& path);

}  // namespace sysfleet
