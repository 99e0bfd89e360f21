#include "agent/session/usage.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <fstream>
#include <string>

#include "common/base/clock.h"

namespace sysfleet {
namespace {

// "cpu", then user, nice, system, idle, iowait, irq, softirq, steal.
constexpr std::string_view kAllCores = "cpu ";
constexpr int kStealColumn = 7;

int64_t ProcessCpuNanos() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * kNanosPerSecond + time.tv_nsec;
}

std::optional<int64_t> StolenNanos() {
  // The line of all cores is the first.
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  const std::optional<int64_t> ticks = StolenTicks(line);
  if (!ticks) return std::nullopt;
  return *ticks * (kNanosPerSecond / sysconf(_SC_CLK_TCK));
}

}  // namespace

UsageMeter::Reading UsageMeter::Now() {
  return {.steady_ns = SteadyNanos(), .cpu_ns = ProcessCpuNanos(), .stolen_ns = StolenNanos()};
}

Usage UsageMeter::Take() {
  const Reading now = Now();
  Usage usage{.cpu_ns = now.cpu_ns - last_.cpu_ns,
              .cores_ns = (now.steady_ns - last_.steady_ns) * sysconf(_SC_NPROCESSORS_ONLN)};
  if (now.stolen_ns && last_.stolen_ns) {
    // A machine that was moved to another host may count from a lower number.
    usage.stolen_ns = std::max<int64_t>(0, *now.stolen_ns - *last_.stolen_ns);
  }
  last_ = now;
  return usage;
}

std::optional<int64_t> StolenTicks(std::string_view proc_stat) {
  if (!proc_stat.starts_with(kAllCores)) return std::nullopt;
  const std::string_view line = proc_stat.substr(0, proc_stat.find('\n'));
  const char* at = line.data() + kAllCores.size();
  const char* const end = line.data() + line.size();
  int64_t ticks = 0;
  for (int column = 0; column <= kStealColumn; ++column) {
    while (at != end && *at == ' ') ++at;
    const auto [next, error] = std::from_chars(at, end, ticks);
    if (error != std::errc() || ticks < 0) return std::nullopt;
    at = next;
  }
  return ticks;
}

}  // namespace sysfleet
