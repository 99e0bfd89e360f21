// A host and a port, as in "db-1:3306" or "[::1]:5432". A value; safe to copy between threads.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace sysfleet {

struct Endpoint {
  std::string host;
  uint16_t port = 0;

  auto operator<=>(const Endpoint&) const = default;
  bool operator==(const Endpoint&) const = default;
};

/// "host:port"; a port that is left out becomes `default_port` (0: it must be there).
absl::StatusOr<Endpoint> ParseEndpoint(std::string_view text, uint16_t default_port);

/// "host:port", with brackets around an IPv6 address.
std::string ToString(const Endpoint& endpoint);

/// True for "localhost" and for addresses of 127.0.0.0/8 and ::1. Resolves no name.
bool IsLoopback(const Endpoint& endpoint);

}  // namespace sysfleet
