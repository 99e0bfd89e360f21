// Runs a program to its end. Safe to call from several threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace sysfleet {

struct ProgramOutput {
  /// As a shell gives it: 128 + the signal's number where one ended the program.
  int exit_code = 0;
  std::string out;
  std::string err;
};

/// `arguments` begins with the program, looked up in PATH; `environment` ("NAME=value") is added to
/// ours. An error where the program could not be started.
absl::StatusOr<ProgramOutput> RunProgram(const std::vector<std::string>& arguments,
                                         std::string_view input = {},
                                         const std::vector<std::string>& environment = {});

}  // namespace sysfleet
