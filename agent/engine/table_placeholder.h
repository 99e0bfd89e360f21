// What stands for numbers of tables in a statement's SQL.
#pragma once

#include <string_view>

namespace sysfleet {

/// The statement's own table.
inline constexpr std::string_view kTablePlaceholder = "{table}";
/// The one that it is joined with.
inline constexpr std::string_view kOtherTablePlaceholder = "{other_table}";

}  // namespace sysfleet
