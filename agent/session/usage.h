// What the agent's process used of its machine, and what the machine's host kept from it. Reading
// takes some microseconds; not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sysfleet {

struct Usage {
  /// CPU time of the whole process, all threads.
  int64_t cpu_ns = 0;
  /// Time in which the machine's cores had work but ran others' machines, summed over the cores.
  /// Absent where the system does not tell. Known to a tick, which is 10 ms as a rule.
  std::optional<int64_t> stolen_ns;
  /// What all the machine's cores had to give: their number times the time that passed.
  int64_t cores_ns = 0;
};

/// Measures from one call to the next.
class UsageMeter {
 public:
  UsageMeter() { Restart(); }

  void Restart() { last_ = Now(); }
  /// Since the last call, or Restart.
  Usage Take();

 private:
  struct Reading {
    int64_t steady_ns = 0;
    int64_t cpu_ns = 0;
    std::optional<int64_t> stolen_ns;
  };
  static Reading Now();

  Reading last_;
};

/// The ticks stolen from all cores since the system's start, from the text of /proc/stat. Nothing
/// where it does not tell, as before Linux 2.6.11. Source: proc(5).
std::optional<int64_t> StolenTicks(std::string_view proc_stat);

}  // namespace sysfleet
