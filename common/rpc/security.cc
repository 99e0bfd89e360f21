#include "common/rpc/security.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace sysfleet {
namespace {

using grpc::experimental::FileWatcherCertificateProvider;

constexpr unsigned kLookAgainSeconds = 5;

std::shared_ptr<FileWatcherCertificateProvider> Watch(const TlsFiles& files) {
  return std::make_shared<FileWatcherCertificateProvider>(files.key, files.certificate, files.ca,
                                                          kLookAgainSeconds);
}

void Apply(const TlsFiles& files, grpc::experimental::TlsCredentialsOptions& options) {
  options.set_certificate_provider(Watch(files));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
}

std::vector<std::string> AlternativeNames(const grpc::AuthContext& peer) {
  std::vector<std::string> names;
  for (const grpc::string_ref& name : peer.FindPropertyValues("x509_subject_alternative_name")) {
    names.emplace_back(name.data(), name.size());
  }
  return names;
}

}  // namespace

absl::Status CheckPlainTextAllowed(const Endpoint& endpoint, const Security& security) {
  if (security.tls || security.insecure || IsLoopback(endpoint)) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "{} is not a loopback address, and plain text goes to loopback only. Give both sides "
      "certificates (deploy/certs.sh makes them), or allow it: `insecure: on` in the plan's "
      "section "
      "fleet, --insecure for the agent",
      ToString(endpoint)));
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const Security& security) {
  if (!security.tls) return grpc::InsecureChannelCredentials();
  SYSFLEET_RETURN_IF_ERROR(CheckTlsFiles(*security.tls, TlsRole::kCoordinator));
  grpc::experimental::TlsChannelCredentialsOptions options;
  Apply(*security.tls, options);
  options.set_verify_server_certs(true);
  return grpc::experimental::TlsCredentials(options);
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const Security& security) {
  if (!security.tls) return grpc::InsecureServerCredentials();
  SYSFLEET_RETURN_IF_ERROR(CheckTlsFiles(*security.tls, TlsRole::kAgent));
  grpc::experimental::TlsServerCredentialsOptions options(Watch(*security.tls));
  Apply(*security.tls, options);
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return grpc::experimental::TlsServerCredentials(options);
}

absl::Status CheckIsCoordinator(const grpc::AuthContext* peer, const Security& security) {
  if (!security.tls) return absl::OkStatus();
  std::vector<std::string> names;
  if (peer != nullptr) names = AlternativeNames(*peer);
  for (const std::string& name : names) {
    if (name == kCoordinatorUri) return absl::OkStatus();
  }
  return absl::PermissionDeniedError(
      fmt::format("the certificate shown is for '{}', which is no coordinator's; make one for it: "
                  "deploy/certs.sh coordinator",
                  fmt::join(names, ", ")));
}

absl::Status ExplainHandshake(const absl::Status& status, const Endpoint& agent) {
  struct Explanation {
    std::string_view sign;
    std::string_view text;
  };
  // As gRPC 1.51 and OpenSSL 3 put it.
  static constexpr Explanation kExplanations[] = {
      {"Hostname Verification Check failed",
       "its certificate is not for '{0}', the name that the plan has for it. Give that machine its "
       "own certificate: deploy/certs.sh agent {0}"},
      {"certificate verify failed",
       "its certificate is not of the plan's CA, or not valid at this time. Make one with the same "
       "CA: deploy/certs.sh agent {0}"},
      {"wrong version number",
       "it speaks plain text and the plan wants TLS. Start it with --tls-ca, --tls-certificate and "
       "--tls-key, or leave out `tls` in the plan's section fleet"},
      {"Socket closed",
       "it closed the connection at once. It wants TLS where the plan has none (fleet.tls), does "
       "not "
       "take the plan's certificate, or is no agent; its log says more"},
  };
  for (const Explanation& explanation : kExplanations) {
    if (Message(status).find(explanation.sign) == std::string::npos) continue;
    return absl::FailedPreconditionError("refused: " +
                                         fmt::format(fmt::runtime(explanation.text), agent.host));
  }
  return status;
}

}  // namespace sysfleet
