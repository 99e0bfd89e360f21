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
      : stub_(v1::AgentService::NewStub(MakeChannel(agent, grpc::InsecureChannelCredentials()))) {
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

  // Numbered, unless it belongs to the stream.
  void Send(v1::CoordinatorMessage message, uint64_t epoch = 1) {
    message.set_run_id("run-1");
    message.set_epoch(epoch);
    if (!message.has_lease() && !message.has_ping()) message.set_sequence(++sent_);
    stream_->Write(message);
  }

  static v1::CoordinatorMessage LeaseOf(uint64_t time_ms = 0) {
    v1::CoordinatorMessage message;
    v1::Lease& lease = *message.mutable_lease();
    lease.set_protocol(kProtocolMax);
    lease.set_run_name("nightly-1");
    lease.set_coordinator_host("c1");
    lease.set_time_ms(time_ms);
    return message;
  }

  // True where the agent consents.
  bool Lease(const v1::CoordinatorMessage& lease = LeaseOf(), uint64_t epoch = 1) {
    Send(lease, epoch);
    return Read().has_leased();
  }

  void Release() {
    v1::CoordinatorMessage message;
    message.mutable_release();
    Send(std::move(message));
  }

  // As a killed process or a cut cable would.
  void Break() {
    context_.TryCancel();
    stream_->Finish();
    stream_.reset();
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
  uint64_t sent_ = 0;
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
      client->Read();
      if (client->Lease()) return client;
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
  Client second(server_->address());
  second.Read();
  EXPECT_FALSE(second.Lease());
  const grpc::Status status = second.End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(),
              HasSubstr("busy with run nightly-1 (coordinator on c1) since"));
  EXPECT_TRUE(first.Ping().has_pong());
}

TEST_F(ServerTest, IsFreeAgainWhenItIsReleased) {
  Client first(server_->address());
  first.Read();
  first.Lease();
  first.Release();
  EXPECT_TRUE(first.End().ok());
  Client second(server_->address());
  second.Read();
  EXPECT_TRUE(second.Lease());
}

TEST_F(ServerTest, IsFreeAgainWhenTheLeaseIsOver) {
  Client first(server_->address());
  first.Read();
  first.Lease(Client::LeaseOf(/*time_ms=*/100));
  // Nothing is heard of it, though its stream is there.
  EXPECT_NE(ConnectWhenFree(), nullptr);
  EXPECT_THAT(first.End().error_message(), HasSubstr("its lease is over"));
}

TEST_F(ServerTest, SaysWhenItWillBeFree) {
  Client first(server_->address());
  first.Read();
  first.Lease(Client::LeaseOf(/*time_ms=*/60'000));
  first.Break();
  const int64_t deadline_ns = SteadyNanos() + 60 * kNanosPerSecond;
  std::string refusal;
  do {
    Client second(server_->address());
    second.Read();
    EXPECT_FALSE(second.Lease());
    refusal = second.End().error_message();
  } while (refusal.find("the agent is free in") == std::string::npos &&
           SteadyNanos() < deadline_ns);
  EXPECT_THAT(refusal, HasSubstr("its coordinator has not been heard for"));
  EXPECT_THAT(refusal, HasSubstr("the agent is free in"));
}

TEST_F(ServerTest, GoesOnOverAnotherStream) {
  Client first(server_->address());
  first.Read();
  first.Lease();
  v1::CoordinatorMessage order;
  order.mutable_arm()->set_cell(3);
  first.Send(order);
  EXPECT_TRUE(first.Read().has_armed());
  first.Break();

  Client second(server_->address());
  second.Read();
  v1::CoordinatorMessage attach = Client::LeaseOf();
  attach.mutable_lease()->set_attach(true);
  attach.set_acknowledged(1);
  EXPECT_TRUE(second.Lease(attach));
  // What is not acknowledged comes again, what is does not.
  const v1::AgentMessage again = second.Read();
  EXPECT_EQ(again.sequence(), 2U);
  EXPECT_TRUE(again.has_done());
  // The first order is the same as before: it is not carried out twice.
  second.Send(order);
  order.mutable_arm()->set_cell(4);
  second.Send(order);
  const v1::AgentMessage armed = second.Read();
  EXPECT_EQ(armed.sequence(), 3U);
  EXPECT_EQ(armed.armed().cell(), 4U);
  EXPECT_EQ(armed.acknowledged(), 2U);
}

TEST_F(ServerTest, AttachesNobodyToASessionThatIsOver) {
  Client client(server_->address());
  client.Read();
  v1::CoordinatorMessage attach = Client::LeaseOf();
  attach.mutable_lease()->set_attach(true);
  EXPECT_FALSE(client.Lease(attach));
  const grpc::Status status = client.End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(status.error_message(), HasSubstr("the lease is over"));
}

TEST_F(ServerTest, GivesWayToALaterEpochOfTheSameRun) {
  Client first(server_->address());
  first.Read();
  first.Lease();
  Client second(server_->address());
  second.Read();
  EXPECT_TRUE(second.Lease(Client::LeaseOf(), 2));
  EXPECT_THAT(first.End().error_message(), HasSubstr("goes on under another coordinator"));
  Client third(server_->address());
  third.Read();
  EXPECT_FALSE(third.Lease(Client::LeaseOf(), 1));
}

TEST_F(ServerTest, RefusesAnotherProtocol) {
  Client client(server_->address());
  client.Read();
  v1::CoordinatorMessage lease = Client::LeaseOf();
  lease.mutable_lease()->set_protocol(kProtocolMax + 1);
  EXPECT_FALSE(client.Lease(lease));
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
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
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
