// The version of this build and of the protocol between coordinator and agents.
#pragma once

#include <cstdint>
#include <string_view>

namespace sysfleet {

inline constexpr std::string_view kVersion = "0.1.0";

/// The protocol versions that this build speaks.
inline constexpr uint32_t kProtocolMin = 1;
inline constexpr uint32_t kProtocolMax = 1;

}  // namespace sysfleet
