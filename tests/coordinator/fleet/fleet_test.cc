// The coordinator's side of sessions, against agents of the tests' own.
#include "coordinator/fleet/fleet.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/version.h"
#include "sysfleet/v1/agent.grpc.pb.h"

namespace sysfleet {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;
using testing::HasSubstr;

constexpr std::chrono::seconds kLimit{30};

struct Behaviour {
  uint32_t protocol = kProtocolMax;
  int64_t clock_ahead_ns = 0;
  bool silent = false;
  // Greets over its first stream only.
  bool silent_later = false;
  // So many streams break when the agent is told to stop.
  int breaks = 0;
  // Ends the stream with this instead of a hello.
  grpc::Status refusal;
  std::vector<v1::CoreRate> rates;
};

class FakeAgent final : public v1::AgentService::Service {
 public:
  explicit FakeAgent(Behaviour behaviour) : behaviour_(std::move(behaviour)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~FakeAgent() override { server_->Shutdown(std::chrono::system_clock::now()); }

  Endpoint endpoint() const { return {"127.0.0.1", static_cast<uint16_t>(port_)}; }
  bool leased() const { return leased_; }

  grpc::Status Session(
      grpc::ServerContext* /*context*/,
      grpc::ServerReaderWriter<v1::AgentMessage, v1::CoordinatorMessage>* stream) override {
    if (!behaviour_.refusal.ok()) return behaviour_.refusal;
    v1::AgentMessage hello;
    hello.mutable_hello()->set_version("9.9.9");
    hello.mutable_hello()->set_host("fake");
    hello.mutable_hello()->set_cores(3);
    hello.mutable_hello()->set_reactors(2);
    for (const v1::CoreRate& rate : behaviour_.rates)
      *hello.mutable_hello()->add_core_rates() = rate;
    hello.mutable_hello()->set_protocol_min(behaviour_.protocol);
    hello.mutable_hello()->set_protocol_max(behaviour_.protocol);
    const int streams = ++streams_;
    const bool silent = behaviour_.silent || (behaviour_.silent_later && streams > 1);
    if (!silent) stream->Write(hello);
    v1::CoordinatorMessage message;
    while (stream->Read(&message)) {
      if (message.has_release()) break;
      if (message.has_lease()) {
        leased_ = true;
        if (message.lease().attach()) acknowledged_ = message.acknowledged();
        v1::AgentMessage leased;
        leased.mutable_leased();
        stream->Write(leased);
        // Sent over each stream again, as long as it is not acknowledged.
        v1::AgentMessage armed;
        armed.mutable_armed()->set_cell(7);
        armed.set_sequence(1);
        if (behaviour_.breaks > 0) stream->Write(armed);
        continue;
      }
      if (message.sequence() > 0) sequences_.push_back(message.sequence());
      if (message.has_stop() && streams <= behaviour_.breaks) {
        return {grpc::StatusCode::UNAVAILABLE, "a cable was cut"};
      }
      if (message.has_stop() && behaviour_.breaks == 0)
        return {grpc::StatusCode::ABORTED, "crashed"};
      if (!message.has_ping()) continue;
      v1::AgentMessage pong;
      pong.mutable_pong()->set_sequence(message.ping().sequence());
      pong.mutable_pong()->set_agent_ns(SteadyNanos() + behaviour_.clock_ahead_ns);
      stream->Write(pong);
    }
    return grpc::Status::OK;
  }

  /// Read only when the fleet is closed.
  const std::vector<uint64_t>& sequences() const { return sequences_; }
  uint64_t acknowledged() const { return acknowledged_; }

 private:
  const Behaviour behaviour_;
  int port_ = 0;
  std::atomic<bool> leased_ = false;
  std::atomic<int> streams_ = 0;
  std::atomic<uint64_t> acknowledged_ = 0;  // when a stream was attached last
  std::vector<uint64_t> sequences_;         // of the coordinator's messages, one stream at a time
  std::unique_ptr<grpc::Server> server_;
};

TEST(Fleet, LeasesAllAgentsAndReadsTheirClocks) {
  FakeAgent one({});
  FakeAgent two({.clock_ahead_ns = 3600 * kNanosPerSecond});
  Fleet fleet({one.endpoint(), two.endpoint()}, {.run_id = "r"});
  const absl::Status status = fleet.Open(kLimit);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(one.leased());
  EXPECT_TRUE(two.leased());
  EXPECT_EQ(fleet.agents()[0].host, "fake");
  EXPECT_EQ(fleet.agents()[1].cores, 3);
  EXPECT_EQ(fleet.agents()[1].reactors, 2);
  for (const FleetAgent& agent : fleet.agents()) EXPECT_GT(agent.round_trip_ns, 0);
  // Wrong by half the round trip at most.
  EXPECT_LE(std::abs(fleet.agents()[0].clock_offset_ns), fleet.agents()[0].round_trip_ns);
  EXPECT_LE(std::abs(fleet.agents()[1].clock_offset_ns - 3600 * kNanosPerSecond),
            fleet.agents()[1].round_trip_ns);
}

v1::CoreRate RateOf(v1::Driver driver, uint32_t connections, double qps) {
  v1::CoreRate rate;
  rate.set_driver(driver);
  rate.set_connections(connections);
  rate.set_qps(qps);
  return rate;
}

TEST(Fleet, TakesTheRatesThatCanBeCalculatedWith) {
  FakeAgent agent(
      {.rates = {RateOf(v1::DRIVER_MYSQL, 1024, 64'000), RateOf(v1::DRIVER_POSTGRESQL, 64, 108'000),
                 RateOf(v1::DRIVER_MYSQL, 64, 88'000), RateOf(v1::DRIVER_MYSQL, 0, 1),
                 RateOf(v1::DRIVER_MYSQL, UINT32_MAX, 1), RateOf(v1::DRIVER_MYSQL, 1, 0),
                 RateOf(v1::DRIVER_MYSQL, 1, -5), RateOf(v1::DRIVER_MYSQL, 1, std::nan("")),
                 RateOf(v1::DRIVER_MYSQL, 1, INFINITY), RateOf(v1::DRIVER_UNSPECIFIED, 1, 1)}});
  Fleet fleet({agent.endpoint()}, {.run_id = "r"});
  ASSERT_TRUE(fleet.Open(kLimit).ok());
  EXPECT_THAT(fleet.agents()[0].postgresql_rates, ElementsAre(FieldsAre(64, 108'000)));
  EXPECT_THAT(fleet.agents()[0].mysql_rates,
              ElementsAre(FieldsAre(64, 88'000), FieldsAre(1024, 64'000)));
}

TEST(Fleet, NamesTheAgentOfAnotherVersion) {
  FakeAgent agent({.protocol = kProtocolMax + 1});
  Fleet fleet({agent.endpoint()}, {.run_id = "r"});
  const absl::Status status = fleet.Open(kLimit);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(Message(status), HasSubstr("agent " + ToString(agent.endpoint())));
  EXPECT_THAT(Message(status), HasSubstr("it is sysfleet 9.9.9"));
  EXPECT_FALSE(agent.leased());
}

TEST(Fleet, NamesTheAgentThatIsBusy) {
  FakeAgent free({});
  FakeAgent busy({.refusal = {grpc::StatusCode::RESOURCE_EXHAUSTED, "busy with run X since T"}});
  Fleet fleet({free.endpoint(), busy.endpoint()}, {.run_id = "r"});
  const absl::Status status = fleet.Open(kLimit);
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_EQ(Message(status), "agent " + ToString(busy.endpoint()) + ": busy with run X since T");
}

TEST(Fleet, GivesUpOnAnAgentThatSaysNothing) {
  FakeAgent agent({.silent = true});
  Fleet fleet({agent.endpoint()}, {.run_id = "r"});
  const absl::Status status = fleet.Open(std::chrono::milliseconds(200));
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(Message(status), HasSubstr("no answer"));
}

TEST(Fleet, SpeaksPlainTextToLoopbackOnly) {
  Fleet fleet({{"192.0.2.1", 7070}}, {.run_id = "r"});
  const absl::Status status = fleet.Open(kLimit);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(Message(status), HasSubstr("agent 192.0.2.1:7070"));
  EXPECT_THAT(Message(status), HasSubstr("plain text goes to loopback only"));
}

TEST(Fleet, CanBeInterruptedWhileItWaits) {
  FakeAgent agent({.silent = true});
  Fleet fleet({agent.endpoint()}, {.run_id = "r"});
  fleet.Interrupt();
  EXPECT_TRUE(absl::IsCancelled(fleet.Open(kLimit)));
}

TEST(Fleet, TellsThatAnAgentWasLostAndWhy) {
  FakeAgent agent({});
  Fleet fleet({agent.endpoint()}, {.run_id = "r"});
  ASSERT_TRUE(fleet.Open(kLimit).ok());
  v1::CoordinatorMessage message;
  message.mutable_stop();
  fleet.Send(0, message);
  const auto event = fleet.Wait(std::chrono::steady_clock::now() + kLimit);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, FleetEvent::Kind::kLost);
  EXPECT_EQ(Message(event->status), "crashed");
  fleet.Send(0, message);  // to nobody
}

TEST(Fleet, GoesOnOverAnotherStreamWhenOneBreaks) {
  FakeAgent agent({.breaks = 2});
  Fleet fleet({agent.endpoint()}, {.run_id = "r", .lease = kLimit});
  ASSERT_TRUE(fleet.Open(kLimit).ok());
  v1::CoordinatorMessage stop;
  stop.mutable_stop();
  fleet.Send(0, stop);
  int armed = 0;
  for (int attached = 0; attached < 2;) {
    const auto event = fleet.Wait(std::chrono::steady_clock::now() + kLimit);
    ASSERT_TRUE(event.has_value());
    ASSERT_NE(event->kind, FleetEvent::Kind::kLost) << event->status;
    if (event->kind == FleetEvent::Kind::kAttached) ++attached;
    if (event->kind == FleetEvent::Kind::kMessage) ++armed;
  }
  fleet.Close();
  // What came again is told once, and the order was sent until a stream held.
  EXPECT_EQ(armed, 1);
  EXPECT_EQ(agent.acknowledged(), 1U);
  EXPECT_THAT(agent.sequences(), ElementsAre(1, 1, 1));
}

TEST(Fleet, GivesUpAnAgentThatIsSilentForTheLease) {
  FakeAgent agent({.silent_later = true});
  Fleet fleet({agent.endpoint()}, {.run_id = "r", .lease = std::chrono::milliseconds(200)});
  ASSERT_TRUE(fleet.Open(kLimit).ok());
  const auto event = fleet.Wait(std::chrono::steady_clock::now() + kLimit);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, FleetEvent::Kind::kLost);
  EXPECT_THAT(Message(event->status), HasSubstr("(lease over)"));
}

TEST(Fleet, WaitsNoLongerThanItsDeadline) {
  Fleet fleet({}, {.run_id = "r"});
  EXPECT_FALSE(fleet.Wait(std::chrono::steady_clock::now()).has_value());
}

}  // namespace
}  // namespace sysfleet
