// simulated_agents: many agents in one process, for measuring how many a coordinator can follow.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "agent/session/server.h"
#include "common/base/open_files.h"
#include "common/base/status.h"
#include "tests/bench/simulated_agents/synthetic_engine.h"

namespace {

using sysfleet::AgentServer;

// Tells their addresses, a line each, and at its end what was measured, as JSON.
int Run(size_t agents, sysfleet::SyntheticEngine& engine, const sigset_t& signals) {
  std::vector<std::unique_ptr<AgentServer>> servers;
  for (size_t i = 0; i < agents; ++i) {
    auto server = AgentServer::Start({"127.0.0.1", 0}, engine);
    if (!server.ok()) {
      fmt::print(stderr, "simulated_agents: {}\n", sysfleet::Message(server.status()));
      return 1;
    }
    fmt::print("{}\n", ToString((*server)->address()));
    servers.push_back(*std::move(server));
  }
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  fmt::print("{{\"first_start_ns\": {}, \"snapshot_bytes\": {}}}\n", engine.first_start_ns(),
             engine.snapshot_bytes());
  std::fflush(stdout);
  return 0;
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

  CLI::App app("simulated_agents: agents that report a load without making one");
  size_t agents = 1;
  size_t transactions = 500;
  app.add_option("--agents", agents, "How many")->capture_default_str();
  app.add_option("--transactions", transactions, "A second, each agent")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  // A thousand agents that tell of each step would be no help.
  spdlog::set_level(spdlog::level::warn);
  sysfleet::RaiseOpenFilesLimit();
  sysfleet::SyntheticEngine engine(transactions);
  return Run(agents, engine, signals);
}
