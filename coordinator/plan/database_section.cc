#include <fmt/format.h>

#include <algorithm>

#include "coordinator/plan/sections.h"

namespace sysfleet {
namespace {

constexpr uint16_t kAgentPort = 7070;

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_' || c == ':' || c == '%';
}

std::vector<Endpoint> ReadEndpoints(const std::vector<const Node*>& items, std::string_view path,
                                    uint16_t default_port, const ReadContext& context) {
  constexpr std::string_view kExpected = "host:port";
  std::vector<Endpoint> endpoints;
  for (const Node* item : items) {
    const auto expanded = ReadExpanded(*item, path, kExpected, context);
    if (!expanded) continue;
    absl::StatusOr<Endpoint> endpoint = ParseEndpoint(expanded->text, default_port);
    if (!endpoint.ok() ||
        !std::all_of(endpoint->host.begin(), endpoint->host.end(), IsHostCharacter)) {
      context.errors.Add(item->position, path,
                         fmt::format("expected {} with a port from 1 to 65535, got {}", kExpected,
                                     Describe(*item)));
      continue;
    }
    endpoints.push_back(*std::move(endpoint));
  }
  return endpoints;
}

void ReadNodes(Section& section, DatabasePlan& database) {
  const auto items = section.Items("nodes");
  if (!items || items->empty()) {
    const Node* const node = section.Find("nodes");
    section.AddError("nodes", node == nullptr ? section.position() : node->position,
                     "missing; list the database's nodes, as in [db-1:3306, db-2:3306]");
    return;
  }
  database.nodes = ReadEndpoints(*items, section.PathOf("nodes"), DefaultPort(database.flavor),
                                 section.context());
}

void ReadBeforeRun(Section& section, DatabasePlan& database) {
  const auto items = section.Items("before_run");
  if (!items) return;
  for (const Node* item : *items) {
    auto expanded =
        ReadExpanded(*item, section.PathOf("before_run"), "an SQL statement", section.context());
    if (!expanded) continue;
    database.before_run.push_back(std::move(expanded->text));
    for (std::string& secret : expanded->substituted) {
      if (!secret.empty()) database.secrets.push_back(std::move(secret));
    }
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
  plan.agents = ReadEndpoints(*items, "agents", kAgentPort, top.context());
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
  ReadBeforeRun(section, plan.database);
  section.ReportUnknown();
}

}  // namespace sysfleet
