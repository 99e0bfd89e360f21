#include "common/base/open_files.h"

#include <sys/resource.h>

namespace sysfleet {

uint64_t OpenFilesLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

void RaiseOpenFilesLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace sysfleet
