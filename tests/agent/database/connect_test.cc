// Connecting, and what stands in its way.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/agent/database/fixture.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using ConnectTest = DriverTest;

// A loopback port that nobody accepts on. Listening, the kernel still takes connections.
class SilentServer {
 public:
  explicit SilentServer(bool listening) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(fd_, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    if (listening) listen(fd_, 8);
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { close(fd_); }

  uint16_t port() const { return port_; }

 private:
  const int fd_;
  uint16_t port_ = 0;
};

TEST_P(ConnectTest, GivesAUsableConnection) {
  auto connection = Make();
  EXPECT_EQ(connection->ServerVersion(), "");
  const Outcome outcome = Await(loop_, connection->Connect());
  EXPECT_EQ(outcome.kind, OutcomeKind::kNothing) << outcome;
  EXPECT_THAT(connection->ServerVersion(), HasSubstr(Either("PostgreSQL 1", "-MariaDB")));
  EXPECT_THAT(connection->ServerVersion(), Not(HasSubstr(" (")));
  EXPECT_FALSE(connection->InTransaction());
  EXPECT_EQ(Ask(*connection, "SELECT 6 * 7"), "42");
  EXPECT_EQ(Ask(*connection, Either("SHOW client_encoding", "SELECT @@character_set_client")),
            Either("UTF8", "utf8mb4"));
}

TEST_P(ConnectTest, WrongPasswordIsTheServersErrorWithoutThePassword) {
  ConnectionOptions options = Options();
  options.password = "not-it-9f2c";
  auto connection = Make(options);
  const Outcome outcome = Await(loop_, connection->Connect());
  EXPECT_EQ(outcome.kind, OutcomeKind::kLost);
  EXPECT_EQ(outcome.code, Either("28P01", "1045"));
  EXPECT_THAT(outcome.message, StartsWith(Either("password authentication failed for user",
                                                 "Access denied for user")));
  EXPECT_THAT(outcome.message, Not(HasSubstr("not-it-9f2c")));
  EXPECT_THAT(outcome.message, Not(HasSubstr("\n")));
  EXPECT_FALSE(loop_.Watches(*connection));
}

TEST_P(ConnectTest, MissingDatabaseIsTheServersError) {
  ConnectionOptions options = Options();
  options.database = "nowhere";
  const Outcome outcome = Await(loop_, Make(options)->Connect());
  EXPECT_EQ(outcome.kind, OutcomeKind::kLost);
  EXPECT_EQ(outcome.code, Either("3D000", "1049"));
  EXPECT_THAT(outcome.message, HasSubstr("nowhere"));
}

TEST_P(ConnectTest, RefusedPortIsLost) {
  const SilentServer nobody(/*listening=*/false);
  ConnectionOptions options = Options();
  options.node.port = nobody.port();
  auto connection = Make(options);
  const Outcome outcome = Await(loop_, connection->Connect());
  EXPECT_EQ(outcome.kind, OutcomeKind::kLost);
  EXPECT_EQ(outcome.code, Either("lost", "2002"));
  EXPECT_THAT(outcome.message, HasSubstr(Either("Connection refused", "Can't connect")));
  EXPECT_FALSE(loop_.Watches(*connection));

  const Outcome after = Await(loop_, connection->Query("SELECT 1"));
  EXPECT_EQ(after.kind, OutcomeKind::kLost);
}

TEST_P(ConnectTest, ASilentServerIsGivenUpByClose) {
  const SilentServer silent(/*listening=*/true);
  ConnectionOptions options = Options();
  options.node.port = silent.port();
  for (const bool is_established : {false, true}) {
    auto connection = Make(options);
    Pending connect(connection->Connect());
    // The loop falls silent when the request is sent and the answer does not come.
    while (is_established && loop_.Step(std::chrono::milliseconds(100))) {
    }
    EXPECT_FALSE(connect.done());
    EXPECT_TRUE(connection->busy());
    connection->Close("no answer within 5 s");
    ASSERT_TRUE(connect.done());
    EXPECT_EQ(connect.outcome().kind, OutcomeKind::kLost);
    EXPECT_EQ(connect.outcome().message, "no answer within 5 s");
    EXPECT_FALSE(loop_.Watches(*connection));
  }
}

TEST_P(ConnectTest, AConnectionMayGoWhileItConnects) {
  const SilentServer silent(/*listening=*/true);
  ConnectionOptions options = Options();
  options.node.port = silent.port();
  auto connection = Make(options);
  Pending connect(connection->Connect());
  const Pollable* watched = connection.get();
  connection.reset();
  EXPECT_FALSE(connect.done());
  EXPECT_FALSE(loop_.Watches(*watched));
}

INSTANTIATE_TEST_SUITE_P(Families, ConnectTest, BothFamilies(), DriverName);

}  // namespace
}  // namespace sysfleet
