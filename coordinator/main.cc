// coordinator: runs a benchmark plan over a fleet of agents.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "common/base/open_files.h"
#include "common/base/version.h"
#include "common/rpc/options.h"
#include "coordinator/cli/commands.h"
#include "coordinator/cli/interrupt.h"
#include "coordinator/cli/sysbench_command.h"

namespace {

using sysfleet::CommandOptions;
using sysfleet::ExitCode;

CLI::App& AddCommand(CLI::App& app, CommandOptions& options, const char* name, const char* what) {
  CLI::App& command = *app.add_subcommand(name, what);
  command.add_option("PLAN", options.plan_path, "The plan, a YAML file")->required();
  command
      .add_option("--set", options.overrides,
                  "Set a key of the plan, as in --set run.time=5s; may be repeated")
      ->take_all();
  return command;
}

void AddRecreate(CLI::App& command, bool& recreate) {
  command.add_flag("--recreate", recreate,
                   "Drop the plan's tables, whatever they hold, and load them again");
}

// Help and version are no errors; a word that is no command is told as such.
int ExitAfter(const CLI::App& app, const CLI::ParseError& error, const std::string& first) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
  }
  const bool is_option = first.empty() || first[0] == '-';
  if (!is_option && std::find(commands.begin(), commands.end(), first) == commands.end()) {
    fmt::print(stderr, "coordinator: no command '{}'; there are {}\n", first,
               fmt::join(commands, ", "));
    return static_cast<int>(ExitCode::kUsage);
  }
  return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
}

}  // namespace

int main(int argc, char** argv) {
  sysfleet::BlockInterrupts();
  std::signal(SIGPIPE, SIG_IGN);
  sysfleet::RaiseOpenFilesLimit();
  sysfleet::SilenceGrpc();

  if (sysfleet::IsSysbench(argv[0])) return sysfleet::SysbenchMain({argv + 1, argv + argc});
  if (argc > 1 && std::string(argv[1]) == "sysbench") {
    return sysfleet::SysbenchMain({argv + 2, argv + argc});
  }

  CLI::App app("coordinator: run a benchmark plan over a fleet of agents", "coordinator");
  app.set_version_flag("--version", fmt::format("coordinator, sysfleet {}", sysfleet::kVersion));
  app.require_subcommand(1);
  app.footer(
      "\nExit codes: 0 done · 2 usage or plan · 3 found before any load (agent, database, data "
      "set)\n"
      "            4 fleet, database or disk failed under way · 5 executed, but not to be "
      "believed\n"
      "            6 nothing keeps a search's limit · 130 interrupted");
  CommandOptions options;
  bool recreate = false;
  auto& check = AddCommand(app, options, "check",
                           "Show every cell, its split and its SQL; touches no network unless "
                           "told to --connect");
  auto& run = AddCommand(app, options, "run", "Prepare if needed, run all cells, report");
  auto& prepare = AddCommand(app, options, "prepare", "Load the data set only");
  auto& cleanup = AddCommand(app, options, "cleanup",
                             "Drop the plan's tables and the records of their loading");
  // Handled above; here for the help.
  app.add_subcommand("sysbench", "Understand sysbench's own arguments, and print what it prints");
  check.add_flag("--connect", options.connect,
                 "Ask the agents too: their clocks, and whether they have enough cores");
  AddRecreate(run, recreate);
  AddRecreate(prepare, recreate);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitAfter(app, error, argc > 1 ? argv[1] : "");
  }
  if (recreate) options.existing = sysfleet::ExistingData::kRecreate;

  ExitCode code = ExitCode::kUsage;
  if (check) code = sysfleet::CheckCommand(options);
  if (run) code = sysfleet::RunCommand(options);
  if (prepare) code = sysfleet::PrepareCommand(options);
  if (cleanup) code = sysfleet::CleanupCommand(options);
  return static_cast<int>(code);
}
