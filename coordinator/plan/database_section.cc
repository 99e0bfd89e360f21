#include <fmt/format.h>

#include <algorithm>

#include "coordinator/plan/sections.h"
#include "coordinator/plan/sweep_section.h"

namespace sysfleet {
namespace {

constexpr uint16_t kAgentPort = 7070;

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_' || c == ':' || c == '%';
}

std::optional<Endpoint> ReadEndpoint(const Node& node, std::string_view path, uint16_t default_port,
                                     const ReadContext& context) {
  constexpr std::string_view kExpected = "host:port";
  const auto expanded = ReadExpanded(node, path, kExpected, context);
  if (!expanded) return std::nullopt;
  absl::StatusOr<Endpoint> endpoint = ParseEndpoint(expanded->text, default_port);
  if (endpoint.ok() && std::all_of(endpoint->host.begin(), endpoint->host.end(), IsHostCharacter)) {
    return *std::move(endpoint);
  }
  context.errors.Add(
      node.position, path,
      fmt::format("expected {} with a port from 1 to 65535, got {}", kExpected, Describe(node)));
  return std::nullopt;
}

void ReadNodes(Section& section, DatabasePlan& database) {
  const auto items = section.Items("nodes");
  if (!items || items->empty()) {
    const Node* const node = section.Find("nodes");
    section.AddError("nodes", node == nullptr ? section.position() : node->position,
                     "missing; list the database's nodes, as in [db-1:3306, db-2:3306]");
    return;
  }
  const std::string path = section.PathOf("nodes");
  for (const Node* item : *items) {
    auto node = ReadEndpoint(*item, path, DefaultPort(database.flavor), section.context());
    if (node) database.nodes.push_back(*std::move(node));
  }
}

void ReadDriver(Section& section, DatabasePlan& database) {
  if (section.Find("driver") == nullptr) {
    section.AddError("driver", section.position(), "missing; expected one of mysql, postgresql");
  }
  section.Read("driver", database.driver, DriverNames());
  database.flavor = DefaultFlavor(database.driver);
  section.Read("flavor", database.flavor, FlavorNames());
}

void RefuseEmpty(Section& section, std::string_view key, const std::string& text) {
  const Node* const node = section.Find(key);
  if (node != nullptr && node->kind == NodeKind::kScalar && text.empty()) {
    section.AddError(key, node->position, fmt::format("expected a name, got {}", Describe(*node)));
  }
}

}  // namespace

void ReadAgents(Section& top, Plan& plan) {
  const auto items = top.Items("agents");
  if (!items || (items->size() == 1 && items->front()->kind == NodeKind::kNull)) return;
  for (const Node* item : *items) {
    auto agent = ReadEndpoint(*item, "agents", kAgentPort, top.context());
    if (!agent) continue;
    if (std::find(plan.agents.begin(), plan.agents.end(), *agent) != plan.agents.end()) {
      top.AddError("agents", item->position, fmt::format("{} is there twice", ToString(*agent)));
    } else {
      plan.agents.push_back(*std::move(agent));
    }
  }
}

void ReadDatabase(Section& top, Plan& plan) {
  const bool missing = top.Find("database") == nullptr;
  if (missing) {
    top.AddError("database", top.position(), "missing; a plan needs at least its driver and nodes");
    return;
  }
  Section section = top.Sub("database");
  ReadDriver(section, plan.database);
  ReadNodes(section, plan.database);
  section.Read("name", plan.database.name);
  RefuseEmpty(section, "name", plan.database.name);
  section.Read("user", plan.database.user);
  RefuseEmpty(section, "user", plan.database.user);
  section.Read("password", plan.database.password);
  section.Read("tls", plan.database.tls, TlsNames());
  ReadStatements(section, "before_run", plan.database.before_run, plan.database.secrets);
  section.ReportUnknown();
}

}  // namespace sysfleet
