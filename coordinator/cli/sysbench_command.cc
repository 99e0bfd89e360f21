#include "coordinator/cli/sysbench_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>
#include <variant>

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/status.h"
#include "coordinator/cli/interrupt.h"
#include "coordinator/cli/start_fleet.h"
#include "coordinator/cli/sysbench_console.h"
#include "coordinator/plan/expand.h"
#include "coordinator/plan/parse.h"
#include "coordinator/result/store.h"
#include "coordinator/run/run.h"
#include "coordinator/sysbench/to_plan.h"

namespace sysfleet {
namespace {

constexpr int kWrong = 1;
constexpr int kNotReadyInTime = 2;
constexpr int kCutOff = 2;
constexpr size_t kConfigBytesMax = 65536;

int Exit(const SysbenchExit& exit) {
  std::fputs(exit.out.c_str(), stdout);
  std::fflush(stdout);
  std::fputs(exit.err.c_str(), stderr);
  return exit.code;
}

void PrintFatal(const std::string& message) {
  fmt::print("FATAL: {}\n", message);
  std::fflush(stdout);
}

// Found before anything is begun.
int Refuse(const SysbenchCommand& command, const std::string& message) {
  if (command.options.verbosity() >= 3) fmt::print("{}{}", command.warnings, SysbenchBanner());
  PrintFatal(message);
  return kWrong;
}

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

SysbenchContext Surroundings() {
  std::random_device random;
  return {.random_seed = random(),
          .mysql_password = Environment("MYSQL_PWD"),
          .pgsql_password = Environment("PGPASSWORD")};
}

// sysbench keeps no files.
class TemporaryResults {
 public:
  absl::Status Make() {
    std::string path =
        (std::filesystem::temp_directory_path() / "sysfleet-results-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) {
      return absl::UnavailableError(
          fmt::format("cannot make a temporary folder {}: {}", path, std::strerror(errno)));
    }
    path_ = std::move(path);
    return absl::OkStatus();
  }
  ~TemporaryResults() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool IsWarmup(const SysbenchCommand& command) {
  return command.command == "warmup" || command.command == "prewarm";
}

RunEnd Execute(const SysbenchCommand& command, const Plan& plan, const std::string& run_id,
               Fleet& fleet, SysbenchConsole& console) {
  const Schedule schedule = MakeSchedule(plan);
  const ExistingData existing =
      command.options.Flag("recreate") ? ExistingData::kRecreate : ExistingData::kKeep;
  if (command.command == "run") {
    return ExecuteRun(fleet, plan, schedule, run_id, ExistingData::kKeep, console);
  }
  if (command.command == "cleanup") return ExecuteCleanup(fleet, plan, schedule, console);
  if (IsWarmup(command)) return ExecuteWarmup(fleet, plan, schedule, console);
  return ExecutePrepare(fleet, plan, schedule, existing, console,
                        command.command == "create" ? PrepareExtent::kTables : PrepareExtent::kAll);
}

// In sysbench's words where it has any.
int Conclude(const SysbenchCommand& command, const Plan& plan, const RunEnd& end,
             const SysbenchConsole& console, std::chrono::steady_clock::duration elapsed) {
  if (end.status.ok()) return console.cut_off() ? kCutOff : 0;
  if (absl::IsCancelled(end.status)) return static_cast<int>(ExitCode::kInterrupted);
  PrintFatal(Message(end.status));
  if (command.command != "run" || console.started()) return kWrong;
  if (elapsed >= plan.run.thread_init_timeout) {
    PrintFatal(fmt::format("Worker threads failed to initialize within {} seconds!",
                           plan.run.thread_init_timeout.count()));
    return kNotReadyInTime;
  }
  PrintFatal("Thread initialization failed!");
  return kWrong;
}

int Run(const SysbenchCommand& command, Plan plan) {
  TemporaryResults results;
  if (!command.options.IsGiven("results-dir")) {
    if (const absl::Status made = results.Make(); !made.ok()) {
      PrintFatal(Message(made));
      return kWrong;
    }
    plan.report.directory = results.path();
  }
  SysbenchConsole console(command, plan);
  console.Begin();
  const std::string run_id = plan.name + "-" + CompactUtc(std::chrono::system_clock::now());
  const auto started = StartFleet(plan, run_id);
  if (!started.ok()) {
    PrintFatal(Message(started.status()));
    return kWrong;
  }
  const InterruptWatcher watcher([&] {
    console.Interrupt();
    started->fleet->Interrupt();
  });
  const auto begin = std::chrono::steady_clock::now();
  const RunEnd end = Execute(command, plan, run_id, *started->fleet, console);
  return Conclude(command, plan, end, console, std::chrono::steady_clock::now() - begin);
}

}  // namespace

bool IsSysbench(const std::string& program) {
  return std::filesystem::path(program).filename() == "sysbench";
}

int SysbenchMain(const std::vector<std::string>& arguments) {
  auto parsed = ParseSysbenchArguments(
      arguments, [](const std::string& path) { return ReadWholeFile(path, kConfigBytesMax); });
  if (const auto* exit = std::get_if<SysbenchExit>(&parsed)) return Exit(*exit);
  const auto& command = std::get<SysbenchCommand>(parsed);
  auto plan = ToPlan(command, Surroundings());
  if (!plan.ok()) {
    return Refuse(command, Message(plan.status()));
  }
  if (IsWarmup(command) && plan->database.driver != Driver::kMysql) {
    return Refuse(command, fmt::format("{} is currently MySQL only", command.command));
  }
  if (command.options.Flag("print-plan")) {
    fmt::print("{}", ToYaml(*plan));
    return 0;
  }
  return Run(command, *std::move(plan));
}

}  // namespace sysfleet
