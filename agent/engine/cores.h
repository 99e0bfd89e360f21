// The machine's cores, and which of them a thread may use. Thread-safe.
#pragma once

#include <thread>
#include <vector>

namespace sysfleet {

/// All that are online, whether this process may use them or not.
int MachineCores();

/// Numbers of those that this process may use, in order. Empty where the system does not tell.
std::vector<int> UsableCores();

/// From now on `thread` runs on this core only. Does nothing where the core may not be used.
void PinTo(std::thread& thread, int core);

}  // namespace sysfleet
