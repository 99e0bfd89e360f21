#include "common/base/endpoint.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "absl/status/status.h"

namespace sysfleet {
namespace {

absl::Status Malformed(std::string_view text) {
  return absl::InvalidArgumentError(fmt::format("expected host:port, got '{}'", text));
}

/// Letters, digits and the marks of names and addresses; what else there is would be a URL's or a
/// slip of the keyboard.
bool IsHost(std::string_view host, std::string_view marks) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [&](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || marks.find(c) != std::string_view::npos;
  });
}

}  // namespace

absl::StatusOr<Endpoint> ParseEndpoint(std::string_view text, uint16_t default_port) {
  std::string_view host = text;
  std::string_view port;
  std::string_view marks = ".-_";
  if (text.starts_with('[')) {
    const size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) return Malformed(text);
    host = text.substr(1, bracket - 1);
    marks = ".-_:%";
    const std::string_view rest = text.substr(bracket + 1);
    if (!rest.empty() && (rest[0] != ':' || rest.size() == 1)) return Malformed(text);
    if (!rest.empty()) port = rest.substr(1);
  } else if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    // A host with a colon and without brackets is an IPv6 address or a mistake; IsHost refuses
    // both.
    if (port.empty()) return Malformed(text);
  }
  if (!IsHost(host, marks)) return Malformed(text);
  uint32_t number = default_port;
  if (!port.empty()) {
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc() || end != port.data() + port.size()) return Malformed(text);
  }
  if (number == 0 || number > 65535) {
    return absl::InvalidArgumentError(
        fmt::format("expected a port from 1 to 65535 behind the host, got '{}'", text));
  }
  return Endpoint{std::string(host), static_cast<uint16_t>(number)};
}

std::string ToString(const Endpoint& endpoint) {
  const bool is_v6 = endpoint.host.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", endpoint.host, endpoint.port)
               : fmt::format("{}:{}", endpoint.host, endpoint.port);
}

bool IsLoopback(const Endpoint& endpoint) {
  if (endpoint.host == "localhost") return true;
  in_addr v4{};
  if (inet_pton(AF_INET, endpoint.host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  if (inet_pton(AF_INET6, endpoint.host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return false;
}

}  // namespace sysfleet
