// agent: drives connections to a database as a coordinator tells it.
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/calibration/calibration.h"
#include "agent/calibration/store.h"
#include "agent/calibration/text.h"
#include "agent/engine/cores.h"
#include "agent/session/database_engine.h"
#include "agent/session/server.h"
#include "common/base/file.h"
#include "common/base/open_files.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/base/version.h"
#include "common/rpc/options.h"

namespace {

constexpr int kExitUsage = 2;
constexpr int kExitFailed = 4;

struct Flags {
  std::string listen = "127.0.0.1:7070";
  std::string announce;
  size_t reactors = 0;
  bool pin = false;
  bool with_parent = false;
  std::string calibration;
  sysfleet::TlsFiles tls;
  bool insecure = false;
  // Of `agent calibrate`.
  double seconds = 3.5;
};

void AddCalibrationFile(CLI::App& app, Flags& flags, const char* what) {
  app.add_option("--calibration", flags.calibration, what)
      ->default_str(
          "$STATE_DIRECTORY/calibration.json, or "
          "~/.local/state/sysfleet/calibration.json");
}

void AddFlags(CLI::App& app, Flags& flags) {
  app.set_version_flag("--version", fmt::format("agent, sysfleet {}", sysfleet::kVersion));
  app.add_option("--listen", flags.listen,
                 "Address and port for the coordinator; port 0 takes any free one")
      ->capture_default_str();
  app.add_option("--announce", flags.announce,
                 "Write the address to this file once it can be used");
  app.add_option("--reactors", flags.reactors, "Event loops, a thread each; 0: one per core")
      ->capture_default_str();
  app.add_flag("--pin", flags.pin, "Bind each event loop to one core");
  app.add_flag("--with-parent", flags.with_parent,
               "End when the process that started this one ends");
  app.add_option("--tls-ca", flags.tls.ca,
                 "The CA's certificate: only coordinators with a certificate of it get the agent");
  app.add_option("--tls-certificate", flags.tls.certificate, "This agent's certificate, PEM");
  app.add_option("--tls-key", flags.tls.key, "This agent's private key, PEM");
  app.add_flag(
      "--insecure", flags.insecure,
      "Listen in plain text on other addresses than loopback: whoever reaches the port has "
      "the agent");
  AddCalibrationFile(app, flags, "What `agent calibrate` stored, to tell coordinators");
}

CLI::App* AddCalibrate(CLI::App& app, Flags& flags) {
  CLI::App* calibrate = app.add_subcommand(
      "calibrate", "Measure in about 15 s what this machine can drive, and store it");
  calibrate
      ->add_option("--seconds", flags.seconds,
                   "How long each of the four measurements takes; the first quarter is left out")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  AddCalibrationFile(*calibrate, flags, "Where to store it");
  return calibrate;
}

std::optional<std::string> CalibrationPath(const Flags& flags) {
  if (!flags.calibration.empty()) return flags.calibration;
  return sysfleet::DefaultCalibrationPath([](const char* name) { return std::getenv(name); });
}

// What cannot be used is left out: it is only advice to who plans a run.
std::vector<sysfleet::CoreRate> StoredRates(const Flags& flags) {
  const auto path = CalibrationPath(flags);
  if (!path) return {};
  auto calibration = sysfleet::LoadCalibration(*path, sysfleet::MachineCores());
  if (calibration.ok()) return std::move(calibration->rates);
  if (!absl::IsNotFound(calibration.status())) {
    spdlog::warn("calibration ignored: {}", sysfleet::Message(calibration.status()));
  }
  return {};
}

int RunCalibrate(const Flags& flags) {
  const auto path = CalibrationPath(flags);
  if (!path) {
    fmt::print(stderr, "agent: there is no home folder to store it in; give --calibration FILE\n");
    return kExitUsage;
  }
  sysfleet::RaiseOpenFilesLimit();
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(flags.seconds));
  fmt::print("measuring against null servers on some of this machine's cores, about {}\n",
             sysfleet::ForPeople(4 * time));
  std::fflush(stdout);
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  bool is_first = true;
  const auto calibration = sysfleet::Calibrate(
      {.time = time, .open_files = sysfleet::OpenFilesLimit()}, [&](const auto& rate) {
        if (std::exchange(is_first, false)) fmt::print("{}", sysfleet::CalibrationHead());
        fmt::print("{}", sysfleet::CalibrationRow(rate, cores));
        std::fflush(stdout);
      });
  const absl::Status status =
      calibration.ok() ? sysfleet::StoreCalibration(*calibration, *path) : calibration.status();
  if (!status.ok()) {
    fmt::print(stderr, "agent: {}\n", sysfleet::Message(status));
    return kExitFailed;
  }
  fmt::print("stored in {}\n", *path);
  return 0;
}

// Nothing where only some of the files are named.
std::optional<sysfleet::Security> SecurityOf(const Flags& flags) {
  sysfleet::Security security{.insecure = flags.insecure};
  const std::string* const names[] = {&flags.tls.ca, &flags.tls.certificate, &flags.tls.key};
  const auto given = std::count_if(std::begin(names), std::end(names),
                                   [](const auto* name) { return !name->empty(); });
  if (given == 3) security.tls = flags.tls;
  if (given == 1 || given == 2) return std::nullopt;
  return security;
}

int Run(const Flags& flags, const sigset_t& signals) {
  const auto listen = sysfleet::ParseEndpoint(flags.listen, 7070);
  // Port 0 is no endpoint to connect to, but one to listen on.
  const bool any_port = flags.listen.ends_with(":0");
  if (!listen.ok() && !any_port) {
    fmt::print(stderr, "agent: --listen: {}\n", sysfleet::Message(listen.status()));
    return kExitUsage;
  }
  const sysfleet::Endpoint endpoint =
      any_port ? sysfleet::Endpoint{flags.listen.substr(0, flags.listen.size() - 2), 0} : *listen;
  const auto security = SecurityOf(flags);
  if (!security) {
    fmt::print(stderr, "agent: --tls-ca, --tls-certificate and --tls-key belong together\n");
    return kExitUsage;
  }
  const size_t reactors = flags.reactors > 0 ? flags.reactors : std::thread::hardware_concurrency();
  sysfleet::RaiseOpenFilesLimit();
  sysfleet::DatabaseEngine engine(reactors, flags.pin ? sysfleet::ReactorPool::Pinning::kOnePerCore
                                                      : sysfleet::ReactorPool::Pinning::kNone);
  auto server = sysfleet::AgentServer::Start(
      endpoint, engine, {.reactors = reactors, .rates = StoredRates(flags)}, *security);
  if (!server.ok()) {
    fmt::print(stderr, "agent: {}\n", sysfleet::Message(server.status()));
    return kExitFailed;
  }
  const std::string address = ToString((*server)->address());
  spdlog::info("agent {} listens on {} with {} event loops, {}", sysfleet::kVersion, address,
               reactors, security->tls ? "mutual TLS" : "plain text");
  if (!flags.announce.empty()) {
    // Who waits for the file may read it as soon as it is there.
    const absl::Status announced = sysfleet::ReplaceFile(flags.announce, address + "\n");
    if (!announced.ok()) {
      fmt::print(stderr, "agent: --announce: {}\n", sysfleet::Message(announced));
      return kExitFailed;
    }
  }
  int signal = 0;
  sigwait(&signals, &signal);
  spdlog::info("signal {}: ending", signal);
  // The second signal ends at once.
  std::thread([signals] {
    int second = 0;
    sigwait(&signals, &second);
    _exit(128 + second);
  }).detach();
  if ((*server)->Stop()) return 0;
  spdlog::error("the load did not end in time");
  std::fflush(nullptr);
  _exit(kExitFailed);
}

}  // namespace

int main(int argc, char** argv) {
  // Before any thread begins, so that all of them leave these signals to sigwait.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  sysfleet::SilenceGrpc();

  CLI::App app("agent: drives connections to a database as a coordinator tells it");
  Flags flags;
  AddFlags(app, flags);
  const CLI::App* calibrate = AddCalibrate(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (calibrate->parsed()) {
    // There is nothing to end in order.
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    return RunCalibrate(flags);
  }
  if (flags.with_parent) prctl(PR_SET_PDEATHSIG, SIGTERM);
  spdlog::set_default_logger(spdlog::stderr_color_mt("agent"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
  return Run(flags, signals);
}
