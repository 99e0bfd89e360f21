// The agent's server, asked by a bare client over a real stream.
#include "agent/session/server.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "agent/session/database_engine.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/version.h"
#include "common/rpc/options.h"
#include "sysfleet/v1/agent.grpc.pb.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;

// One coordinator's stream. Every call has a time limit, so that no test hangs.
class Client {
 public:
  explicit Client(const Endpoint& agent)
      : stub_(v1::AgentService::NewStub(MakePlainTextChannel(agent))) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
    stream_ = stub_->Session(&context_);
  }
  ~Client() {
    if (stream_) End();
  }

  v1::AgentMessage Read() {
    v1::AgentMessage message;
    read_ok_ = stream_->Read(&message);
    return message;
  }
  bool read_ok() const { return read_ok_; }

  void Send(v1::CoordinatorMessage message, uint64_t epoch = 1) {
    message.set_run_id("run-1");
    message.set_epoch(epoch);
    stream_->Write(message);
  }

  void Lease(uint32_t protocol = kProtocolMax) {
    v1::CoordinatorMessage message;
    message.mutable_lease()->set_protocol(protocol);
    message.mutable_lease()->set_run_name("nightly-1");
    message.mutable_lease()->set_coordinator_host("c1");
    Send(std::move(message));
  }

  // Proves that what was sent before has been read.
  v1::AgentMessage Ping() {
    v1::CoordinatorMessage message;
    message.mutable_ping()->set_sequence(5);
    Send(std::move(message));
    return Read();
  }

  grpc::Status End() {
    stream_->WritesDone();
    v1::AgentMessage rest;
    while (stream_->Read(&rest)) continue;
    const grpc::Status status = stream_->Finish();
    stream_.reset();
    return status;
  }

 private:
  std::unique_ptr<v1::AgentService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::CoordinatorMessage, v1::AgentMessage>> stream_;
  bool read_ok_ = false;
};

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = AgentServer::Start({"127.0.0.1", 0}, engine_,
                                     {.reactors = 2,
                                      .rates = {{DriverFamily::kPostgresql, 64, 108'000},
                                                {DriverFamily::kMysql, 1024, 64'000}}});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  // Until the session before has been ended, an agent answers "busy".
  std::unique_ptr<Client> ConnectWhenFree() {
    const int64_t deadline_ns = SteadyNanos() + 60 * kNanosPerSecond;
    while (SteadyNanos() < deadline_ns) {
      auto client = std::make_unique<Client>(server_->address());
      if (client->Read().has_hello()) return client;
    }
    return nullptr;
  }

  DatabaseEngine engine_{2, ReactorPool::Pinning::kNone};
  std::unique_ptr<AgentServer> server_;
};

TEST_F(ServerTest, GreetsWithWhatItIs) {
  Client client(server_->address());
  const v1::AgentMessage message = client.Read();
  ASSERT_TRUE(message.has_hello());
  EXPECT_EQ(message.hello().version(), kVersion);
  EXPECT_EQ(message.hello().protocol_max(), kProtocolMax);
  EXPECT_GT(message.hello().cores(), 0U);
  EXPECT_GT(message.hello().open_files_limit(), 0U);
  EXPECT_EQ(message.hello().boot_id().size(), 16U);
  EXPECT_EQ(message.hello().reactors(), 2U);
  ASSERT_EQ(message.hello().core_rates_size(), 2);
  EXPECT_EQ(message.hello().core_rates(0).driver(), v1::DRIVER_POSTGRESQL);
  EXPECT_EQ(message.hello().core_rates(0).connections(), 64U);
  EXPECT_EQ(message.hello().core_rates(0).qps(), 108'000);
  EXPECT_EQ(message.hello().core_rates(1).driver(), v1::DRIVER_MYSQL);
}

TEST_F(ServerTest, AnswersPingsWithItsSteadyClock) {
  Client client(server_->address());
  client.Read();
  client.Lease();
  const int64_t before_ns = SteadyNanos();
  const v1::AgentMessage answer = client.Ping();
  ASSERT_TRUE(answer.has_pong());
  EXPECT_EQ(answer.pong().sequence(), 5U);
  EXPECT_EQ(answer.run_id(), "run-1");
  // The same machine has the same clock.
  EXPECT_GE(answer.pong().agent_ns(), before_ns);
  EXPECT_LE(answer.pong().agent_ns(), SteadyNanos());
}

TEST_F(ServerTest, TellsASecondCoordinatorWhoHasIt) {
  Client first(server_->address());
  first.Read();
  first.Lease();
  first.Ping();
  Client second(server_->address());
  second.Read();
  EXPECT_FALSE(second.read_ok());
  const grpc::Status status = second.End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(),
              HasSubstr("busy with run nightly-1 (coordinator on c1) since"));
  EXPECT_TRUE(first.Ping().has_pong());
}

TEST_F(ServerTest, IsFreeAgainWhenItsCoordinatorHasGone) {
  {
    Client first(server_->address());
    first.Read();
    first.Lease();
    first.Ping();
    EXPECT_TRUE(first.End().ok());
  }
  EXPECT_NE(ConnectWhenFree(), nullptr);
}

TEST_F(ServerTest, RefusesAnotherProtocol) {
  Client client(server_->address());
  client.Read();
  client.Lease(kProtocolMax + 1);
  const grpc::Status status = client.End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("install the same version on both"));
  EXPECT_NE(ConnectWhenFree(), nullptr);
}

TEST_F(ServerTest, RefusesAMessageOfAnotherEpoch) {
  Client client(server_->address());
  client.Read();
  client.Lease();
  v1::CoordinatorMessage message;
  message.mutable_stop();
  client.Send(std::move(message), 2);
  const grpc::Status status = client.End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("a message of run run-1 epoch 2, the lease is of"));
}

TEST_F(ServerTest, RefusesWhatDoesNotFitItsState) {
  Client client(server_->address());
  client.Read();
  client.Lease();
  v1::CoordinatorMessage message;
  message.mutable_task();
  client.Send(std::move(message));
  EXPECT_THAT(client.End().error_message(),
              HasSubstr("a message that does not fit: the agent is idle"));
}

TEST_F(ServerTest, ReportsAnOrderThatCannotBeMeant) {
  Client client(server_->address());
  client.Read();
  client.Lease();
  v1::CoordinatorMessage message;
  message.mutable_arm()->set_cell(3);
  client.Send(std::move(message));
  const v1::AgentMessage armed = client.Read();
  ASSERT_TRUE(armed.has_armed());
  EXPECT_EQ(armed.armed().cell(), 3U);
  EXPECT_THAT(armed.armed().error().message(), HasSubstr("asks for no connection"));
  const v1::AgentMessage done = client.Read();
  ASSERT_TRUE(done.has_done());
  EXPECT_EQ(done.done().cell(), 3U);
  EXPECT_TRUE(client.Ping().has_pong());
}

TEST_F(ServerTest, EndsTheSessionWhenToldToEnd) {
  Client client(server_->address());
  client.Read();
  client.Lease();
  client.Ping();
  server_->Stop();
  const grpc::Status status = client.End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("the agent was told to end"));
}

TEST(AgentServer, ListensOnLoopbackOnly) {
  DatabaseEngine engine(1, ReactorPool::Pinning::kNone);
  const auto server = AgentServer::Start({"0.0.0.0", 0}, engine);
  ASSERT_FALSE(server.ok());
  EXPECT_THAT(Message(server.status()), HasSubstr("plain text goes to loopback only"));
}

TEST(AgentServer, SaysThatItsPortIsTaken) {
  DatabaseEngine engine(1, ReactorPool::Pinning::kNone);
  const auto first = AgentServer::Start({"127.0.0.1", 0}, engine);
  ASSERT_TRUE(first.ok());
  const auto second = AgentServer::Start((*first)->address(), engine);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(Message(second.status()), HasSubstr("cannot listen on 127.0.0.1:"));
}

}  // namespace
}  // namespace sysfleet
