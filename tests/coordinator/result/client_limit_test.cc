#include "coordinator/result/client_limit.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace sysfleet {
namespace {

/// Whose ten connections spend `client_share` of their time in the client.
AgentCellResult MakeAgent(const std::string& address, std::optional<double> client_share,
                          std::optional<double> busiest_reactor_share) {
  AgentCellResult agent{.address = address, .connections = 10};
  if (client_share) {
    // A thousand a second of so many milliseconds fill as many connections.
    agent.transactions = 1000;
    agent.mean_ns = (1 - *client_share) * 10 * 1e6;
  }
  agent.load.busiest_reactor_share = busiest_reactor_share;
  return agent;
}

CellResult MakeCell(std::vector<AgentCellResult> agents) {
  CellResult cell;
  cell.measured_seconds = 1;
  cell.agents = std::move(agents);
  return cell;
}

TEST(ClientLimitTest, NamesTheAgentThatIsFarthestBeyond) {
  struct Case {
    std::string name;
    std::vector<AgentCellResult> agents;
    std::string limiting;  // empty for none
  };
  const Case cases[] = {
      {"no agents", {}, ""},
      {"all within", {MakeAgent("a", 0.19, 0.5), MakeAgent("b", 0.05, 0.89)}, ""},
      {"client share", {MakeAgent("a", 0.1, 0.5), MakeAgent("b", 0.21, 0.5)}, "b"},
      {"reactor", {MakeAgent("a", 0.1, 0.91), MakeAgent("b", 0.1, 0.9)}, "a"},
      {"the larger share", {MakeAgent("a", 0.3, 0.5), MakeAgent("b", 0.4, 0.5)}, "b"},
      // 1.5 times one limit, and 1.1 times the other.
      {"the farther of two limits", {MakeAgent("a", 0.1, 0.99), MakeAgent("b", 0.3, 0.5)}, "b"},
      {"nothing known", {MakeAgent("a", {}, {})}, ""},
      {"share unknown", {MakeAgent("a", {}, 0.95)}, "a"},
      {"reactor unknown", {MakeAgent("a", 0.5, {})}, "a"},
  };
  for (const Case& c : cases) {
    const CellResult cell = MakeCell(c.agents);
    const AgentCellResult* limiting = LimitingAgent(cell);
    EXPECT_EQ(limiting == nullptr ? "" : limiting->address, c.limiting) << c.name;
  }
}

TEST(ClientLimitTest, StrainIsRelativeToTheNearerLimit) {
  const CellResult cell = MakeCell({});
  EXPECT_NEAR(ClientStrain(cell, MakeAgent("a", 0.1, 0.18)), 0.5, 1e-9);
  EXPECT_NEAR(ClientStrain(cell, MakeAgent("a", 0.1, 1.0)), 1 / 0.9, 1e-9);
  EXPECT_EQ(ClientStrain(cell, MakeAgent("a", {}, {})), 0);
}

}  // namespace
}  // namespace sysfleet
