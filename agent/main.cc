// agent: drives connections to a database as a coordinator tells it.
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "agent/session/database_engine.h"
#include "agent/session/server.h"
#include "common/base/file.h"
#include "common/base/open_files.h"
#include "common/base/status.h"
#include "common/base/version.h"

namespace {

constexpr int kExitUsage = 2;
constexpr int kExitFailed = 4;

struct Flags {
  std::string listen = "127.0.0.1:7070";
  std::string announce;
  size_t reactors = 0;
  bool pin = false;
  bool with_parent = false;
};

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
  const size_t reactors = flags.reactors > 0 ? flags.reactors : std::thread::hardware_concurrency();
  sysfleet::RaiseOpenFilesLimit();
  sysfleet::DatabaseEngine engine(reactors, flags.pin ? sysfleet::ReactorPool::Pinning::kOnePerCore
                                                      : sysfleet::ReactorPool::Pinning::kNone);
  auto server = sysfleet::AgentServer::Start(endpoint, engine);
  if (!server.ok()) {
    fmt::print(stderr, "agent: {}\n", sysfleet::Message(server.status()));
    return kExitFailed;
  }
  const std::string address = ToString((*server)->address());
  spdlog::info("agent {} listens on {} with {} event loops", sysfleet::kVersion, address, reactors);
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

  CLI::App app("agent: drives connections to a database as a coordinator tells it");
  Flags flags;
  AddFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (flags.with_parent) prctl(PR_SET_PDEATHSIG, SIGTERM);
  spdlog::set_default_logger(spdlog::stderr_color_mt("agent"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
  return Run(flags, signals);
}
