// The names of the built-in workloads, in one place for the plan's checks and for the compiler of
// workloads.
#pragma once

#include <array>
#include <string_view>

namespace sysfleet {

/// Sorted.
constexpr std::array<std::string_view, 9> KnownWorkloads() {
  return {"oltp_delete",       "oltp_insert",           "oltp_multi_insert",
          "oltp_point_select", "oltp_read_only",        "oltp_read_write",
          "oltp_update_index", "oltp_update_non_index", "oltp_write_only"};
}

}  // namespace sysfleet
