// Counts what a thread allocates by operator new.
#pragma once

#include <cstdint>

namespace sysfleet {

/// By this thread since it began.
extern thread_local int64_t allocations;

}  // namespace sysfleet
