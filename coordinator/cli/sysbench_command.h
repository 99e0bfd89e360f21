// `coordinator sysbench ARGUMENTS…`: sysbench's own command line, driving a fleet.
#pragma once

#include <string>
#include <vector>

namespace sysfleet {

/// Prints what sysbench prints and returns its exit codes: 0, 1 for what is wrong, 2 where not all
/// connections were ready in time or a shutdown was forced; and 130 where interrupted.
int SysbenchMain(const std::vector<std::string>& arguments);

/// Is a program of this path to behave as sysbench? One installed under its name is.
bool IsSysbench(const std::string& program);

}  // namespace sysfleet
