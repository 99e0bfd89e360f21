// The limit of open files: every stream to an agent and every connection to a database is one.
#pragma once

#include <cstdint>

namespace sysfleet {

/// How many files this process may have open.
uint64_t OpenFilesLimit();

/// To the hard limit, which takes no privilege; before anything is opened.
void RaiseOpenFilesLimit();

}  // namespace sysfleet
