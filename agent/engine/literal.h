// Values as they stand in SQL text. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sysfleet {

/// How a text literal is written: PostgreSQL doubles quotes, MySQL backslashes too.
enum class Quoting : uint8_t { kStandard, kBackslash };

/// "-9223372036854775808".
inline constexpr size_t kIntegerBytesMax = 20;

void AppendInteger(int64_t value, std::string& out);

/// What stands between the quotes of a literal.
void AppendEscaped(std::string_view text, Quoting quoting, std::string& out);

}  // namespace sysfleet
