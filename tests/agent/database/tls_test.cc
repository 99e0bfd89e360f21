// Each TLS mode against servers with TLS and without.
#include <gmock/gmock.h>

#include "tests/agent/database/fixture.h"
#include "tests/agent/database/lines.h"

namespace sysfleet {
namespace {

class TlsTest : public DriverTest {
 protected:
  bool IsEncrypted(Connection& connection) {
    if (IsPostgresql()) {
      return Ask(connection, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == "t";
    }
    return Ask(connection,
               "SELECT LENGTH(VARIABLE_VALUE) FROM information_schema.SESSION_STATUS "
               "WHERE VARIABLE_NAME = 'SSL_CIPHER'") != "0";
  }
};

TEST_P(TlsTest, TheModeDecides) {
  const struct {
    Tls mode;
    ServerTls server;
    bool connects;
    bool encrypts;
  } cases[] = {
      {Tls::kDisable, ServerTls::kOff, true, false},  {Tls::kDisable, ServerTls::kOn, true, false},
      {Tls::kPrefer, ServerTls::kOff, true, false},   {Tls::kPrefer, ServerTls::kOn, true, true},
      {Tls::kRequire, ServerTls::kOff, false, false}, {Tls::kRequire, ServerTls::kOn, true, true},
  };
  for (const auto& expected : cases) {
    SCOPED_TRACE(fmt::format("mode {}, server {}", static_cast<int>(expected.mode),
                             static_cast<int>(expected.server)));
    ConnectionOptions options = Options(Server(expected.server));
    options.tls = expected.mode;
    auto connection = Make(options);
    const Outcome outcome = Await(loop_, connection->Connect());
    ASSERT_EQ(outcome.ok(), expected.connects) << outcome;
    if (outcome.ok()) {
      EXPECT_EQ(IsEncrypted(*connection), expected.encrypts);
    } else {
      EXPECT_EQ(outcome.kind, OutcomeKind::kLost);
      EXPECT_THAT(outcome.message,
                  testing::AnyOf(testing::HasSubstr("SSL"), testing::HasSubstr("TLS")));
    }
  }
}

TEST_P(TlsTest, LargeTransfersWork) {
  ConnectionOptions options = Options(Server(ServerTls::kOn));
  options.tls = Tls::kRequire;
  auto connection = Connected(options);
  MakeTable(*connection, "encrypted", "id INT PRIMARY KEY, v VARCHAR(20)");
  Lines lines(50000);
  const Outcome copied =
      Await(loop_, connection->Copy(Either("COPY encrypted FROM STDIN",
                                           "LOAD DATA LOCAL INFILE 'rows' INTO TABLE encrypted"),
                                    lines));
  EXPECT_EQ(copied.rows, 50000) << copied;
  const std::vector<StatementSpec> statements = {{.sql = "SELECT id, v FROM encrypted"}};
  ASSERT_TRUE(Await(loop_, connection->Prepare(statements)).ok());
  const Outcome read = Await(loop_, connection->Execute(0, {}));
  EXPECT_EQ(read.kind, OutcomeKind::kRows) << read;
  EXPECT_EQ(read.rows, 50000);
  EXPECT_EQ(Ask(*connection, "SELECT LENGTH('" + std::string(4'000'000, 'y') + "')"), "4000000");
}

TEST_P(TlsTest, ConnectingMayBeCutOffAnywhere) {
  ConnectionOptions options = Options(Server(ServerTls::kOn));
  options.tls = Tls::kRequire;
  bool connected = false;
  for (int steps = 0; !connected; ++steps) {
    auto connection = Make(options);
    Pending connect(connection->Connect());
    for (int i = 0; i < steps && !connect.done(); ++i) loop_.Step(std::chrono::minutes(1));
    connected = connect.done();
    connection->Close("cut off");
    ASSERT_TRUE(connect.done());
    EXPECT_EQ(connect.outcome().ok(), connected) << connect.outcome();
    EXPECT_FALSE(loop_.Watches(*connection));
  }
}

INSTANTIATE_TEST_SUITE_P(Families, TlsTest, BothFamilies(), DriverName);

}  // namespace
}  // namespace sysfleet
