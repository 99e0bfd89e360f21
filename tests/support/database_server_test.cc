#include "tests/support/database_server.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "common/base/status.h"

namespace sysfleet {
namespace {

// False also for one that has ended and that nobody has waited for yet.
bool Runs(pid_t pid) {
  std::string command_line;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/cmdline"), command_line);
  return !command_line.empty();
}

class DatabaseServerFamilyTest : public testing::TestWithParam<ServerFamily> {};

TEST_P(DatabaseServerFamilyTest, KeepsItsDataOverARestartAndLeavesNothingRunning) {
  auto server = DatabaseServer::Start(GetParam());
  ASSERT_TRUE(server.ok()) << server.status();
  ASSERT_TRUE(
      (*server)->Run("CREATE TABLE t (a INT, b INT); INSERT INTO t VALUES (1, 2), (3, 4);").ok());
  EXPECT_FALSE((*server)->Run("SELECT * FROM missing;").ok());

  const Endpoint endpoint = (*server)->endpoint();
  const pid_t first = (*server)->Pid();
  ASSERT_TRUE((*server)->Stop().ok());
  EXPECT_FALSE(Runs(first));
  EXPECT_FALSE((*server)->Run("SELECT 1;").ok());

  const absl::Status again = (*server)->StartAgain();
  ASSERT_TRUE(again.ok()) << Message(again);
  EXPECT_EQ((*server)->endpoint(), endpoint);
  auto rows = (*server)->Run("SELECT a, b FROM t ORDER BY a;");
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(*rows, "1\t2\n3\t4\n");

  const pid_t second = (*server)->Pid();
  EXPECT_TRUE(Runs(second));
  server->reset();
  EXPECT_FALSE(Runs(second));
}

TEST(DatabaseServerTest, EndsWithItsOwner) {
  int pipe_fds[2];
  ASSERT_EQ(pipe(pipe_fds), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    auto server = DatabaseServer::Start(ServerFamily::kPostgresql);
    const pid_t pid = server.ok() ? (*server)->Pid() : 0;
    const bool told = write(pipe_fds[1], &pid, sizeof pid) == sizeof pid;
    _exit(told ? 0 : 1);  // without destructors, as one that is killed
  }
  pid_t server = 0;
  ASSERT_EQ(read(pipe_fds[0], &server, sizeof server), static_cast<ssize_t>(sizeof server));
  waitpid(owner, nullptr, 0);
  close(pipe_fds[0]);
  close(pipe_fds[1]);
  ASSERT_NE(server, 0);

  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (Runs(server) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_FALSE(Runs(server));
}

INSTANTIATE_TEST_SUITE_P(Families, DatabaseServerFamilyTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         [](const auto& test) {
                           return test.param == ServerFamily::kPostgresql ? "Postgresql"
                                                                          : "Mariadb";
                         });

}  // namespace
}  // namespace sysfleet
