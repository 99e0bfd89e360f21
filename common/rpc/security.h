// How coordinator and agents trust each other: certificates of one private CA on both sides, or
// plain text where that is safe or explicitly wanted. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/endpoint.h"

namespace grpc {
class AuthContext;
class ChannelCredentials;
class ServerCredentials;
}  // namespace grpc

namespace sysfleet {

/// Paths of PEM files: the CA's certificate, and this program's own certificate and private key.
struct TlsFiles {
  std::string ca;
  std::string certificate;
  std::string key;
};

struct Security {
  /// None: plain text.
  std::optional<TlsFiles> tls;
  /// Plain text to other addresses than loopback, too.
  bool insecure = false;
};

/// What the coordinator's certificate bears as a URI among its subject alternative names.
inline constexpr std::string_view kCoordinatorUri = "sysfleet://coordinator";

/// FAILED_PRECONDITION where plain text would leave the machine and nobody said that it may.
absl::Status CheckPlainTextAllowed(const Endpoint& endpoint, const Security& security);

enum class TlsRole : uint8_t { kCoordinator, kAgent };

/// FAILED_PRECONDITION where a file cannot be read, is no PEM, does not belong to the others, is
/// not valid at this time or not for this role; it names the file.
absl::Status CheckTlsFiles(const TlsFiles& files, TlsRole role);

/// They read the files again when they change, within some seconds. Errors as CheckTlsFiles.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const Security& security);
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const Security& security);

/// PERMISSION_DENIED unless the other side of a stream showed a coordinator's certificate; OK where
/// there is no TLS.
absl::Status CheckIsCoordinator(const grpc::AuthContext* peer, const Security& security);

/// What gRPC says of a handshake that failed, in words that say what to do; others unchanged.
absl::Status ExplainHandshake(const absl::Status& status, const Endpoint& agent);

}  // namespace sysfleet
