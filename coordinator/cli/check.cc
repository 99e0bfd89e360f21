#include "coordinator/cli/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/base/text.h"
#include "coordinator/cli/table.h"
#include "coordinator/cli/text.h"
#include "coordinator/plan/names.h"
#include "coordinator/result/result.h"
#include "coordinator/workload/dialect.h"
#include "coordinator/workload/own_tables.h"
#include "coordinator/workload/workload.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

// More agents or nodes than this are shown as ranges, so that lines stay readable.
constexpr size_t kMostColumns = 8;

std::vector<std::string> Names(std::span<const Endpoint> endpoints) {
  std::vector<std::string> names;
  for (const Endpoint& endpoint : endpoints) names.push_back(ToString(endpoint));
  return names;
}

// Hosts alone where they tell the endpoints apart.
std::vector<std::string> ShortNames(std::span<const Endpoint> endpoints) {
  std::vector<std::string> hosts;
  std::set<std::string> distinct;
  for (const Endpoint& endpoint : endpoints) {
    hosts.push_back(endpoint.host);
    distinct.insert(endpoint.host);
  }
  return distinct.size() == endpoints.size() ? hosts : Names(endpoints);
}

struct Range {
  int min = std::numeric_limits<int>::max();
  int max = 0;

  void Include(int value) {
    min = std::min(min, value);
    max = std::max(max, value);
  }
};

std::string ToString(const Range& range) {
  return range.min == range.max ? Grouped(range.max)
                                : fmt::format("{} to {}", Grouped(range.min), Grouped(range.max));
}

// A cell's columns for agents or nodes: each by its name, or one for all.
void AppendNames(const std::vector<std::string>& names, std::string_view for_all,
                 std::vector<std::string>& row) {
  if (names.size() > kMostColumns) {
    row.emplace_back(for_all);
  } else {
    row.insert(row.end(), names.begin(), names.end());
  }
}

void AppendCounts(const std::vector<int>& counts, std::vector<std::string>& row) {
  if (counts.size() <= kMostColumns) {
    for (const int count : counts) row.push_back(Grouped(count));
    return;
  }
  Range range;
  for (const int count : counts) range.Include(count);
  row.push_back(ToString(range));
}

// What a check is about, with names for its columns.
class Check {
 public:
  Check(const Plan& plan, const Schedule& schedule)
      : plan_(plan),
        schedule_(schedule),
        agents_(plan.agents.empty() ? std::vector<std::string>{"this machine"}
                                    : ShortNames(plan.agents)),
        nodes_(ShortNames(plan.database.nodes)) {}

  std::string Head() const;
  std::string Facts() const;
  std::string Cells() const;
  std::string SearchText() const;
  std::string Connections() const;
  std::string DatasetSql() const;
  absl::StatusOr<std::string> WorkloadSql() const;

 private:
  bool timed() const { return plan_.run.time.count() > 0; }
  std::string DatasetFacts() const;
  std::string LoadFacts() const;
  std::string CellTime() const;
  void AppendShares(const std::string& threads, const std::vector<AgentShare>& shares,
                    Table& table) const;
  void AppendShareGroups(const std::string& threads, const std::vector<AgentShare>& shares,
                         Table& table) const;

  const Plan& plan_;
  const Schedule& schedule_;
  const std::vector<std::string> agents_;
  const std::vector<std::string> nodes_;
};

std::string Check::Head() const {
  return RunHead(plan_, schedule_) + " (load not counted)\n";
}

std::string OwnTablesText(const Plan& plan) {
  std::vector<std::string> tables;
  for (const OwnTable& table : plan.tables) {
    tables.push_back(fmt::format("{} of {}", table.name, Counted(table.rows, "row")));
  }
  return fmt::format("{}, seed {}", fmt::join(tables, ", "), plan.dataset.seed);
}

std::string Check::DatasetFacts() const {
  if (!plan_.tables.empty()) return OwnTablesText(plan_);
  const DatasetPlan& dataset = plan_.dataset;
  const bool bulk = dataset.schema == DatasetSchema::kBulkInsert;
  const std::string size = bulk ? Counted(dataset.tables, "table") + " of schema bulk_insert"
                                : fmt::format("{} x {}", Counted(dataset.tables, "table"),
                                              Counted(dataset.table_size, "row"));
  if (dataset.existing) return size + ", taken as existing";
  if (bulk) return size + ", made new and left empty";
  const std::string_view index = !dataset.create_secondary ? "no index on k"
                                 : dataset.index == IndexTime::kBefore
                                     ? "index k_N on k made before the rows"
                                     : "index k_N on k";
  const std::string k = dataset.random.type == RandType::kUniform
                            ? ""
                            : fmt::format(", k {}", ToString(dataset.random.type));
  return fmt::format("{}, {}{} ids, {}{}, seed {}", size,
                     dataset.auto_inc ? "generated" : "assigned",
                     dataset.id_type == IdType::kInt64 ? " 64-bit" : "", index, k, dataset.seed);
}

std::string Check::LoadFacts() const {
  const DatasetPlan& dataset = plan_.dataset;
  if (!plan_.tables.empty()) {
    return fmt::format("chunks of up to {}, taken by {} as they get free",
                       Counted(plan_.load.chunk_rows, "row"),
                       Counted(plan_.load.threads, "connection"));
  }
  if (dataset.existing || dataset.table_size == 0) return "none";
  const int64_t rows = plan_.load.chunk_rows;
  const int64_t chunks = ChunkCount(dataset.table_size, rows);
  const RowChunk first = ChunkAt(1, dataset.table_size, rows, 0);
  const RowChunk last = ChunkAt(dataset.tables, dataset.table_size, rows, chunks - 1);
  return fmt::format(
      "{} of {}{}, taken by {} as they get free\n"
      "           first {} rows {} to {}, last {} rows {} to {}",
      Counted(dataset.tables * chunks, "chunk"), dataset.table_size % rows > 0 ? "up to " : "",
      Counted(rows, "row"), Counted(plan_.load.threads, "connection"), TableName(first.table),
      Grouped(first.first_row), Grouped(first.last_row), TableName(last.table),
      Grouped(last.first_row), Grouped(last.last_row));
}

std::string Check::Facts() const {
  const DatabasePlan& database = plan_.database;
  const std::string agents = plan_.agents.empty()
                                 ? "one on this machine, started for the run"
                                 : fmt::format("{}", fmt::join(Names(plan_.agents), ", "));
  const std::string_view server = ToString(database.flavor);
  const std::string_view driver = ToString(database.driver);
  return fmt::format(
      "data set   {}\n"
      "load       {}\n"
      "agents     {}\n"
      "database   {}{}, TLS {}, database {}, user {}\n"
      "nodes      {}\n",
      DatasetFacts(), LoadFacts(), agents, server,
      server == driver ? "" : fmt::format(" (driver {})", driver), ToString(database.tls),
      database.name, database.user, fmt::join(Names(database.nodes), ", "));
}

std::string Check::CellTime() const {
  const std::string events = Counted(plan_.run.events, "event");
  if (!timed()) return events;
  const std::string time = Grouped(plan_.run.time.count()) + " s";
  return plan_.run.events > 0 ? time + " or " + events : time;
}

std::string Check::SearchText() const {
  const SearchPlan& search = *plan_.run.search;
  return fmt::format(
      "search     {} from {} to {}: doubled as long as they keep {}, then narrowed down,\n"
      "           each for {}; what was found is confirmed for {}\n",
      ToString(search.vary), Grouped(search.from), Grouped(search.to), ToString(search.limit),
      ForPeople(plan_.run.warmup_time + plan_.run.time),
      ForPeople(plan_.run.warmup_time + search.confirm_time));
}

std::string Check::Cells() const {
  if (plan_.run.search) return SearchText();
  const bool warm_up = plan_.run.warmup_time.count() > 0;
  const bool has_rates = !plan_.run.rates.empty();
  Table table = {{"cell", "workload", "threads"}};
  if (has_rates) table[0].emplace_back("rate/s");
  AppendNames(agents_, "each agent", table[0]);
  AppendNames(nodes_, "each node", table[0]);
  if (warm_up) table[0].emplace_back("warm-up");
  table[0].insert(table[0].end(), {"time", "seed"});

  for (const Cell& cell : schedule_.cells) {
    std::vector<int> agent_counts;
    std::vector<int> node_counts(plan_.database.nodes.size());
    for (const AgentShare& share : cell.shares) {
      agent_counts.push_back(share.connections);
      for (size_t node = 0; node < node_counts.size(); ++node) {
        node_counts[node] += share.node_connections[node];
      }
    }
    const WorkloadPlan& workload = plan_.run.workloads[static_cast<size_t>(cell.workload)];
    std::vector<std::string> row = {Grouped(cell.number), workload.label, Grouped(cell.threads)};
    if (has_rates) row.push_back(RateText(cell.rate_per_s));
    AppendCounts(agent_counts, row);
    AppendCounts(node_counts, row);
    if (warm_up) row.push_back(Grouped(plan_.run.warmup_time.count()) + " s");
    row.push_back(CellTime());
    row.push_back(fmt::format("{:016x}", cell.seed));
    table.push_back(std::move(row));
  }
  return Render(table, {"workload"});
}

// "0 to 10"
std::string Numbers(int64_t first, int64_t count) {
  if (count == 0) return "none";
  return fmt::format("{} to {}", Grouped(first), Grouped(first + count - 1));
}

void Check::AppendShares(const std::string& threads, const std::vector<AgentShare>& shares,
                         Table& table) const {
  for (size_t agent = 0; agent < shares.size(); ++agent) {
    const AgentShare& share = shares[agent];
    std::vector<std::string> row = {agent == 0 ? threads : "", agents_[agent],
                                    Numbers(share.first_connection, share.connections)};
    AppendCounts(share.node_connections, row);
    table.push_back(std::move(row));
  }
}

// Agents with equal numbers of connections, which are neighbours, share a line.
void Check::AppendShareGroups(const std::string& threads, const std::vector<AgentShare>& shares,
                              Table& table) const {
  for (size_t first = 0, end = 0; first < shares.size(); first = end) {
    std::vector<Range> nodes(plan_.database.nodes.size());
    Range any_node;
    for (; end < shares.size() && shares[end].connections == shares[first].connections; ++end) {
      for (size_t node = 0; node < nodes.size(); ++node) {
        nodes[node].Include(shares[end].node_connections[node]);
        any_node.Include(shares[end].node_connections[node]);
      }
    }
    const auto agents = static_cast<int64_t>(end - first);
    std::vector<std::string> row = {
        first == 0 ? threads : "",
        agents == 1 ? agents_[first]
                    : fmt::format("{} agents, {} to {}", agents, agents_[first], agents_[end - 1]),
        fmt::format("{}: {} each",
                    Numbers(shares[first].first_connection, agents * shares[first].connections),
                    Grouped(shares[first].connections))};
    if (nodes.size() > kMostColumns) nodes = {any_node};
    for (const Range& node : nodes) row.push_back(ToString(node));
    table.push_back(std::move(row));
  }
}

std::string Check::Connections() const {
  Table table = {{"threads", "agent", "connections"}};
  AppendNames(nodes_, "each node", table[0]);
  const auto append = [&](const std::string& threads, const std::vector<AgentShare>& shares) {
    if (shares.size() > kMostColumns) {
      AppendShareGroups(threads, shares, table);
    } else {
      AppendShares(threads, shares, table);
    }
  };
  std::set<int> shown;
  for (const Cell& cell : schedule_.cells) {
    if (shown.insert(cell.threads).second) append(Grouped(cell.threads), cell.shares);
  }
  append(fmt::format("{} to load", Grouped(plan_.load.threads)), schedule_.load);
  return fmt::format(
      "connections, numbered over the fleet: number g goes to node g modulo {} and draws from "
      "(its cell's seed, g)\n{}",
      plan_.database.nodes.size(), Render(table, {"agent", "connections"}));
}

std::string Check::DatasetSql() const {
  if (!plan_.tables.empty()) {
    std::string text = "tables\n";
    for (const OwnTable& table : plan_.tables) {
      text += fmt::format("    {}\n", CreateOwnTableSql(table));
      for (const std::string& sql : CreateOwnIndexesSql(table)) text += "    " + sql + "\n";
    }
    return text;
  }
  std::string text = fmt::format("data set, table 1 of {}\n", plan_.dataset.tables);
  const auto append = [&](const std::vector<std::string>& statements) {
    for (const std::string& sql : statements) text += "    " + sql + "\n";
  };
  append(CreateTableSql(plan_.database, plan_.dataset, 1));
  append(CreateIndexSql(plan_.dataset, 1));
  append(SetCounterSql(plan_.database, plan_.dataset, 1));
  return text;
}

absl::StatusOr<std::string> Check::WorkloadSql() const {
  std::string text;
  for (const WorkloadPlan& plan : plan_.run.workloads) {
    const auto workload = CompileWorkload(plan, plan_.dataset, plan_.database.driver);
    if (!workload.ok()) return workload.status();
    text += (text.empty() ? "" : "\n") + Describe(*workload);
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> RenderCheck(const Plan& plan, const Schedule& schedule,
                                        const std::string& plan_yaml) {
  const Check check(plan, schedule);
  const absl::StatusOr<std::string> workloads = check.WorkloadSql();
  if (!workloads.ok()) return workloads.status();
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n# the plan with every default\n{}", check.Head(),
                     check.Facts(), check.Cells(), check.Connections(), check.DatasetSql(),
                     *workloads, plan_yaml);
}

}  // namespace sysfleet
