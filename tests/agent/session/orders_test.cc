#include "agent/session/orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "common/base/status.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;

v1::Arm ValidArm() {
  v1::Arm arm;
  v1::Workload& workload = *arm.mutable_workload();
  workload.set_name("w");
  workload.add_statements()->set_sql("SELECT 1");
  workload.add_transactions()->set_weight(1);
  workload.mutable_transactions(0)->add_steps()->set_execute(0);
  arm.mutable_database()->set_driver(v1::DRIVER_MYSQL);
  for (const char* host : {"127.0.0.1", "127.0.0.2"}) {
    v1::Node& node = *arm.mutable_database()->add_nodes();
    node.set_host(host);
    node.set_port(3306);
  }
  arm.set_connections(2);
  arm.set_first_connection(3);
  arm.set_fleet_connections(5);
  arm.set_measured_windows(10);
  arm.set_unique_base(77);
  arm.set_connect_timeout_ms(1500);
  arm.mutable_error_policy()->add_retry_codes("1213");
  return arm;
}

TEST(Orders, CompileACell) {
  const auto order = ToCellOrder(ValidArm());
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(order->connections, 2);
  EXPECT_EQ(order->first_connection, 3);
  EXPECT_EQ(order->fleet_connections, 5);
  EXPECT_EQ(order->warmup_windows + order->measured_windows, 10U);
  EXPECT_EQ(order->unique_base, 77U);
  EXPECT_EQ(order->connect_timeout, std::chrono::milliseconds(1500));
  ASSERT_EQ(order->nodes.size(), 2U);
  EXPECT_EQ(order->nodes[1].address, "127.0.0.2");
  EXPECT_EQ(ToString(order->nodes[1].node), "127.0.0.2:3306");
  EXPECT_TRUE(order->retry.Covers("1213"));
  EXPECT_FALSE(order->retry.Covers("1205"));
}

struct Mistake {
  const char* name;
  std::function<void(v1::Arm&)> make;
  const char* message;
};

class OrderMistake : public testing::TestWithParam<Mistake> {};

TEST_P(OrderMistake, IsRefused) {
  v1::Arm arm = ValidArm();
  GetParam().make(arm);
  const auto order = ToCellOrder(arm);
  ASSERT_FALSE(order.ok());
  EXPECT_THAT(Message(order.status()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, OrderMistake,
    testing::Values(
        Mistake{"NoConnection", [](v1::Arm& arm) { arm.set_connections(0); },
                "the order asks for no connection"},
        Mistake{"TooManyConnections",
                [](v1::Arm& arm) {
                  arm.set_connections(4'000'000'000U);
                  arm.set_fleet_connections(5'000'000'000U);
                },
                "ulimit -n"},
        Mistake{"NotOfTheFleet", [](v1::Arm& arm) { arm.set_first_connection(4); },
                "not within the fleet's"},
        Mistake{"NoEnd", [](v1::Arm& arm) { arm.set_measured_windows(0); },
                "neither a time nor a number of transactions"},
        Mistake{"NoDriver",
                [](v1::Arm& arm) { arm.mutable_database()->set_driver(v1::DRIVER_UNSPECIFIED); },
                "no driver"},
        Mistake{"NoNode", [](v1::Arm& arm) { arm.mutable_database()->clear_nodes(); }, "no node"},
        Mistake{"NoSuchName",
                [](v1::Arm& arm) {
                  arm.mutable_database()->mutable_nodes(0)->set_host("no-such-host.invalid");
                },
                "no-such-host.invalid: the name does not resolve"},
        Mistake{"BadWorkload", [](v1::Arm& arm) { arm.mutable_workload()->clear_transactions(); },
                "workload w: "}),
    [](const testing::TestParamInfo<Mistake>& mistake) { return mistake.param.name; });

TEST(Orders, SpreadTaskConnectionsOverTheNodesByGlobalNumber) {
  v1::OpenTasks message;
  *message.mutable_database() = ValidArm().database();
  message.set_connections(3);
  message.set_first_connection(1);
  const auto options = ToTaskGroupOptions(message);
  ASSERT_TRUE(options.ok()) << options.status();
  ASSERT_EQ(options->connections.size(), 3U);
  EXPECT_EQ(options->connections[0].address, "127.0.0.2");
  EXPECT_EQ(options->connections[1].address, "127.0.0.1");
  EXPECT_EQ(options->connections[2].address, "127.0.0.2");
}

}  // namespace
}  // namespace sysfleet
