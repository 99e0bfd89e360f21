// The program's commands. Each prints what a person needs and returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "coordinator/prepare/preparer.h"
#include "coordinator/run/run.h"

namespace sysfleet {

struct CommandOptions {
  std::string plan_path;
  /// "run.time=5s"
  std::vector<std::string> overrides;
  ExistingData existing = ExistingData::kKeep;
  /// Of `check`: ask the agents too.
  bool connect = false;
};

ExitCode CheckCommand(const CommandOptions& options);
ExitCode RunCommand(const CommandOptions& options);
ExitCode PrepareCommand(const CommandOptions& options);
ExitCode CleanupCommand(const CommandOptions& options);

}  // namespace sysfleet
