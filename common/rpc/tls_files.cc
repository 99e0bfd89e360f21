#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <string>

#include "common/base/file.h"
#include "common/base/status.h"
#include "common/rpc/security.h"

namespace sysfleet {
namespace {

constexpr size_t kFileBytesMax = size_t{1} << 20;

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

absl::StatusOr<std::string> Read(const std::string& path) {
  auto text = ReadWholeFile(path, kFileBytesMax);
  if (text.ok()) return text;
  return absl::FailedPreconditionError(
      fmt::format("{}: cannot be read: {}", path, Message(text.status())));
}

absl::StatusOr<Certificate> ReadCertificate(const std::string& path) {
  const auto text = Read(path);
  if (!text.ok()) return text.status();
  const Bio bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())), BIO_free);
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free);
  ERR_clear_error();
  if (certificate) return certificate;
  return absl::FailedPreconditionError(fmt::format(
      "{}: expected a certificate in PEM, which begins with -----BEGIN CERTIFICATE-----", path));
}

absl::StatusOr<Key> ReadKey(const std::string& path) {
  const auto text = Read(path);
  if (!text.ok()) return text.status();
  const Bio bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())), BIO_free);
  // Never asks a person for a passphrase.
  Key key(PEM_read_bio_PrivateKey(
              bio.get(), nullptr, [](char*, int, int, void*) { return -1; }, nullptr),
          EVP_PKEY_free);
  ERR_clear_error();
  if (key) return key;
  return absl::FailedPreconditionError(
      fmt::format("{}: expected a private key in PEM that needs no passphrase", path));
}

std::string TimeOf(const ASN1_TIME* time) {
  const Bio bio(BIO_new(BIO_s_mem()), BIO_free);
  ASN1_TIME_print(bio.get(), time);
  char* text = nullptr;
  const auto length = static_cast<size_t>(BIO_get_mem_data(bio.get(), &text));
  return {text, length};
}

absl::Status CheckTime(const X509& certificate, const std::string& path) {
  if (X509_cmp_current_time(X509_get0_notBefore(&certificate)) > 0) {
    return absl::FailedPreconditionError(
        fmt::format("{}: the certificate is not valid before {}; is this machine's clock right?",
                    path, TimeOf(X509_get0_notBefore(&certificate))));
  }
  if (X509_cmp_current_time(X509_get0_notAfter(&certificate)) < 0) {
    return absl::FailedPreconditionError(
        fmt::format("{}: the certificate expired at {}; make a new one: deploy/certs.sh", path,
                    TimeOf(X509_get0_notAfter(&certificate))));
  }
  return absl::OkStatus();
}

absl::Status CheckIssuer(X509& certificate, X509& ca, const TlsFiles& files) {
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(),
                                                                      X509_STORE_free);
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(
      X509_STORE_CTX_new(), X509_STORE_CTX_free);
  X509_STORE_add_cert(store.get(), &ca);
  X509_STORE_CTX_init(context.get(), store.get(), &certificate, nullptr);
  const bool valid = X509_verify_cert(context.get()) == 1;
  ERR_clear_error();
  if (valid) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("{}: the certificate is not of the CA in {}: {}", files.certificate, files.ca,
                  X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()))));
}

absl::Status CheckRole(X509& certificate, TlsRole role, const std::string& path) {
  const bool connects = role == TlsRole::kCoordinator;
  const int purpose = connects ? X509_PURPOSE_SSL_CLIENT : X509_PURPOSE_SSL_SERVER;
  if (X509_check_purpose(&certificate, purpose, 0) == 1) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "{}: the certificate is not one for {}; make one: deploy/certs.sh {}", path,
      connects ? "a coordinator" : "an agent", connects ? "coordinator" : "agent NAME"));
}

}  // namespace

absl::Status CheckTlsFiles(const TlsFiles& files, TlsRole role) {
  const auto ca = ReadCertificate(files.ca);
  if (!ca.ok()) return ca.status();
  const auto certificate = ReadCertificate(files.certificate);
  if (!certificate.ok()) return certificate.status();
  const auto key = ReadKey(files.key);
  if (!key.ok()) return key.status();
  SYSFLEET_RETURN_IF_ERROR(CheckTime(**ca, files.ca));
  SYSFLEET_RETURN_IF_ERROR(CheckTime(**certificate, files.certificate));
  SYSFLEET_RETURN_IF_ERROR(CheckRole(**certificate, role, files.certificate));
  const bool belongs = X509_check_private_key(certificate->get(), key->get()) == 1;
  ERR_clear_error();
  if (!belongs) {
    return absl::FailedPreconditionError(fmt::format(
        "{}: the key does not belong to the certificate in {}", files.key, files.certificate));
  }
  return CheckIssuer(**certificate, **ca, files);
}

}  // namespace sysfleet
