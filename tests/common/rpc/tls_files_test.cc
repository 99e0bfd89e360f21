// Certificate files as OpenSSL's own program makes them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/base/status.h"
#include "common/rpc/security.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;

class TlsFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "sysfleet-tls.XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    Make("ca", "", 10);
    Make("one", "ca", 10);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string File(const std::string& name) const { return folder_ / name; }

  /// A key and a certificate of `ca`, or of its own; valid for so many days from now.
  void Make(const std::string& name, const std::string& ca, int days,
            const std::string& options = "") {
    const std::string by = ca.empty() ? fmt::format("-signkey {}", File(name + ".key"))
                                      : fmt::format("-CA {} -CAkey {} -set_serial 7",
                                                    File(ca + ".crt"), File(ca + ".key"));
    const std::string command = fmt::format(
        "openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out {0} && "
        "openssl req -new -key {0} -subj /CN={1} | openssl x509 -req {2} -days {3} {5} -out {4} "
        "2> /dev/null",
        File(name + ".key"), name, by, days, File(name + ".crt"), options);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  absl::Status Check(const std::string& ca, const std::string& certificate, const std::string& key,
                     TlsRole role = TlsRole::kAgent) const {
    return CheckTlsFiles({.ca = File(ca), .certificate = File(certificate), .key = File(key)},
                         role);
  }

  std::filesystem::path folder_;
};

TEST_F(TlsFilesTest, TakesWhatBelongsTogether) {
  const absl::Status status = Check("ca.crt", "one.crt", "one.key");
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(TlsFilesTest, NamesTheFileThatDoesNotFit) {
  Make("other", "", 10);
  Make("old", "ca", -1);
  std::ofstream(File("text")) << "no certificate";
  struct Case {
    const char* ca;
    const char* certificate;
    const char* key;
    std::string expected;
  };
  const Case cases[] = {
      {"none", "one.crt", "one.key", File("none") + ": cannot be read: No such file"},
      {"ca.crt", "text", "one.key", File("text") + ": expected a certificate in PEM"},
      {"ca.crt", "one.crt", "one.crt", File("one.crt") + ": expected a private key in PEM"},
      {"ca.crt", "one.crt", "other.key",
       File("other.key") + ": the key does not belong to the certificate in " + File("one.crt")},
      {"other.crt", "one.crt", "one.key",
       File("one.crt") + ": the certificate is not of the CA in " + File("other.crt")},
      {"ca.crt", "old.crt", "old.key", File("old.crt") + ": the certificate expired at"},
  };
  for (const Case& c : cases) {
    const absl::Status status = Check(c.ca, c.certificate, c.key);
    EXPECT_TRUE(absl::IsFailedPrecondition(status));
    EXPECT_THAT(Message(status), HasSubstr(c.expected));
  }
}

TEST_F(TlsFilesTest, TakesACertificateForItsPurposeOnly) {
  std::ofstream(File("usage")) << "extendedKeyUsage=serverAuth";
  Make("agent", "ca", 10, "-extfile " + File("usage"));
  EXPECT_TRUE(Check("ca.crt", "agent.crt", "agent.key").ok());
  const absl::Status status = Check("ca.crt", "agent.crt", "agent.key", TlsRole::kCoordinator);
  EXPECT_THAT(Message(status), HasSubstr("the certificate is not one for a coordinator"));
}

TEST(Security, LetsPlainTextOutOnlyWhereItIsWanted) {
  const Endpoint outside{"192.0.2.1", 7070};
  EXPECT_TRUE(CheckPlainTextAllowed({"127.0.0.1", 7070}, {}).ok());
  EXPECT_THAT(Message(CheckPlainTextAllowed(outside, {})),
              HasSubstr("192.0.2.1:7070 is not a loopback address"));
  EXPECT_TRUE(CheckPlainTextAllowed(outside, {.insecure = true}).ok());
  EXPECT_TRUE(CheckPlainTextAllowed(outside, {.tls = TlsFiles{}}).ok());
}

}  // namespace
}  // namespace sysfleet
