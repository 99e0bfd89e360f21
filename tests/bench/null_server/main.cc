// null_server: see agent/calibration/null_server.h. Prints "port=N", then one line of JSON for each
// SIGUSR1: how many statements it has answered so far, and the time from their arrival to their
// reply since the line before.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <map>
#include <string>

#include "agent/calibration/null_server.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/histogram/histogram.h"

namespace sysfleet {
namespace {

volatile std::sig_atomic_t report_wanted = 0;
volatile std::sig_atomic_t end_wanted = 0;

struct Flags {
  NullServerOptions server;
  int64_t delay_us = 0;
  int64_t max_seconds = 900;
  bool times = false;
};

bool ParseFlags(int argc, char** argv, Flags& flags, int& exit_code) {
  CLI::App app("null_server: answers sysbench's OLTP statements without a database");
  const std::map<std::string, NullServerFamily> families = {
      {"postgresql", NullServerFamily::kPostgresql}, {"mysql", NullServerFamily::kMysql}};
  app.add_option("--family", flags.server.family, "postgresql or mysql")
      ->transform(CLI::CheckedTransformer(families));
  app.add_option("--port", flags.server.port, "On 127.0.0.1; 0: any free one");
  app.add_option("--delay-us", flags.delay_us, "From a request's arrival to its reply");
  app.add_flag("--times", flags.times, "Take the time of each statement (delay or not)");
  app.add_option("--max-seconds", flags.max_seconds, "Ends by itself after so long")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : 2;
    return false;
  }
  flags.server.delay = std::chrono::microseconds(flags.delay_us);
  return true;
}

void Report(const NullServer& server, Histogram& times) {
  fmt::print(
      "{{\"time_ns\": {}, \"statements\": {}, \"timed\": {}, \"mean_us\": {:.3f}, "
      "\"p50_us\": {:.3f}, \"p99_us\": {:.3f}}}\n",
      SteadyNanos(), server.statements(), times.count(), times.MeanNs() / 1e3,
      static_cast<double>(times.PercentileNs(50)) / 1e3,
      static_cast<double>(times.PercentileNs(99)) / 1e3);
  std::fflush(stdout);
  times.Clear();
}

int Run(const Flags& flags) {
  auto listening = NullServer::Listen(flags.server);
  if (!listening.ok()) {
    fmt::print(stderr, "null_server: {}\n", Message(listening.status()));
    return 4;
  }
  NullServer& server = **listening;
  Histogram times;
  if (flags.times || flags.delay_us > 0) {
    server.OnAnswered([&](int64_t took_ns) { times.Record(took_ns); });
  }
  const int64_t end_ns = SteadyNanos() + flags.max_seconds * kNanosPerSecond;
  server.OnTurn([&] {
    if (report_wanted != 0) {
      report_wanted = 0;
      Report(server, times);
    }
    if (end_wanted != 0 || SteadyNanos() > end_ns) server.Stop();
  });
  fmt::print("port={}\n", server.port());
  std::fflush(stdout);
  server.Run();
  return 0;
}

}  // namespace
}  // namespace sysfleet

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::signal(SIGUSR1, [](int) { sysfleet::report_wanted = 1; });
  std::signal(SIGTERM, [](int) { sysfleet::end_wanted = 1; });
  std::signal(SIGINT, [](int) { sysfleet::end_wanted = 1; });
  sysfleet::Flags flags;
  int exit_code = 0;
  if (!sysfleet::ParseFlags(argc, argv, flags, exit_code)) return exit_code;
  return sysfleet::Run(flags);
}
