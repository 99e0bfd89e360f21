// What is bound to a placeholder.
#pragma once

#include <cstdint>
#include <string_view>

namespace sysfleet {

enum class ParameterType : uint8_t { kInt32, kInt64, kText };

/// `integer` or `text` counts, as the parameter's type says. `text` must outlive the call.
struct Value {
  int64_t integer = 0;
  std::string_view text;
};

}  // namespace sysfleet
