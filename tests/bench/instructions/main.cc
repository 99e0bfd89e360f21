// instructions WORKLOAD none|postgresql|mysql TRANSACTIONS: executes them on the workbench and
// prints how many statements that were. For callgrind.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string>

#include "tests/bench/workbench/workbench.h"

int main(int argc, char** argv) {
  const std::map<std::string, sysfleet::Wire> wires = {{"none", sysfleet::Wire::kNone},
                                                       {"postgresql", sysfleet::Wire::kPostgresql},
                                                       {"mysql", sysfleet::Wire::kMysql}};
  if (argc != 4 || !wires.contains(argv[2])) {
    fmt::print(stderr, "usage: instructions WORKLOAD none|postgresql|mysql TRANSACTIONS\n");
    return 2;
  }
  sysfleet::Workbench workbench(argv[1], wires.at(argv[2]));
  fmt::print("{}\n", workbench.Run(std::atoll(argv[3])));
  return 0;
}
