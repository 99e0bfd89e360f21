#include "coordinator/cli/fleet_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/text.h"
#include "coordinator/cli/table.h"
#include "coordinator/plan/names.h"
#include "coordinator/result/client_limit.h"

namespace sysfleet {
namespace {

constexpr std::string_view kNotCalibrated = "not calibrated: run `agent calibrate` there";

const std::vector<CoreRate>& RatesOf(const FleetAgent& agent, Driver driver) {
  return driver == Driver::kPostgresql ? agent.postgresql_rates : agent.mysql_rates;
}

// Agents on one machine share its cores.
std::vector<ClientMachine> MachinesOf(std::span<const FleetAgent> agents, Driver driver) {
  std::map<std::string, ClientMachine> by_host;
  for (const FleetAgent& agent : agents) {
    ClientMachine& machine = by_host[agent.host];
    machine.cores = std::min(machine.cores + agent.reactors, agent.cores);
    if (machine.rates.empty()) machine.rates = RatesOf(agent, driver);
  }
  std::vector<ClientMachine> machines;
  for (auto& [host, machine] : by_host) machines.push_back(std::move(machine));
  return machines;
}

// "259", "2.6 k", "333 k", "1.25 M".
std::string Rounded(double qps) {
  if (qps < 999.5) return fmt::format("{:.0f}", qps);
  if (qps < 9'950) return fmt::format("{:.1f} k", qps / 1e3);
  if (qps < 999'500) return fmt::format("{:.0f} k", qps / 1e3);
  return fmt::format("{:.2f} M", qps / 1e6);
}

// What a workload's reference asks for at most.
struct Demand {
  double qps = 0;
  int threads = 0;
};

std::optional<Demand> HighestDemand(const RunPlan& run, const std::string& workload,
                                    const std::vector<ReferenceRow>& reference) {
  const int threads_max = *std::max_element(run.threads.begin(), run.threads.end());
  std::optional<Demand> highest;
  for (const ReferenceRow& row : reference) {
    const bool is_planned = row.threads == 0 || std::find(run.threads.begin(), run.threads.end(),
                                                          row.threads) != run.threads.end();
    if (row.workload != workload || !is_planned || row.qps <= 0) continue;
    if (highest && row.qps <= highest->qps) continue;
    highest = {.qps = row.qps, .threads = row.threads == 0 ? threads_max : row.threads};
  }
  return highest;
}

class FleetCheck {
 public:
  FleetCheck(const Plan& plan, std::span<const FleetAgent> agents,
             const std::vector<ReferenceRow>& reference)
      : plan_(plan),
        agents_(agents),
        reference_(reference),
        machines_(MachinesOf(agents, plan.database.driver)),
        cores_(CoresOf(machines_)) {}

  std::string Agents() const;
  std::string Sizing() const;

 private:
  std::string Needs(const std::vector<std::pair<std::string, Demand>>& demands) const;

  const Plan& plan_;
  const std::span<const FleetAgent> agents_;
  const std::vector<ReferenceRow>& reference_;
  const std::vector<ClientMachine> machines_;
  const int cores_;
};

std::string FleetCheck::Agents() const {
  const int threads = *std::max_element(plan_.run.threads.begin(), plan_.run.threads.end());
  const double connections = static_cast<double>(threads) / std::max(1, cores_);
  Table table = {{"agent", "host", "version", "cores", "reactors", "round trip", "QPS per core"}};
  bool is_calibrated = false;
  for (const FleetAgent& agent : agents_) {
    const std::vector<CoreRate>& rates = RatesOf(agent, plan_.database.driver);
    is_calibrated = is_calibrated || !rates.empty();
    table.push_back({ToString(agent.endpoint), agent.host, agent.version, Grouped(agent.cores),
                     Grouped(agent.reactors),
                     fmt::format("{:.2f} ms", static_cast<double>(agent.round_trip_ns) / 1e6),
                     rates.empty() ? std::string(kNotCalibrated)
                                   : WithThousands(QpsPerCore(rates, connections), 0)});
  }
  std::string text =
      "agents, as they answered\n" + Render(table, {"agent", "host", "version", "QPS per core"});
  if (is_calibrated) {
    text += fmt::format("  QPS per core: point selects, driver {}, {} over the {} of the fleet\n",
                        ToString(plan_.database.driver), Counted(threads, "connection"),
                        Counted(cores_, "core"));
  }
  return text;
}

std::string FleetCheck::Sizing() const {
  std::vector<std::pair<std::string, Demand>> demands;
  for (const WorkloadPlan& workload : plan_.run.workloads) {
    const auto demand = HighestDemand(plan_.run, workload.label, reference_);
    if (demand) demands.emplace_back(workload.label, *demand);
  }
  if (demands.empty()) return "";
  return "\nclient cores for the reference's QPS\n" + Needs(demands);
}

std::string FleetCheck::Needs(const std::vector<std::pair<std::string, Demand>>& demands) const {
  Table table = {{"workload", "needs"}};
  std::vector<std::string> beyond;
  for (const auto& [workload, demand] : demands) {
    // A core that is busier than this counts as the limit of its cell.
    const auto needed = CoresNeeded(machines_, demand.qps / kReactorShareMax, demand.threads);
    if (!needed) return "  unknown, because no agent is calibrated\n";
    std::string needs =
        fmt::format("{} QPS needs about {}", Rounded(demand.qps), Counted(*needed, "core"));
    if (*needed > cores_) {
      needs += fmt::format("; the fleet has {}", Grouped(cores_));
      beyond.push_back(workload);
    }
    table.push_back({workload, std::move(needs)});
  }
  std::string text = Render(table, {"workload", "needs"});
  if (std::any_of(machines_.begin(), machines_.end(),
                  [](const ClientMachine& machine) { return machine.rates.empty(); })) {
    text += "  Machines that are not calibrated count as the others do.\n";
  }
  if (!beyond.empty()) {
    text += fmt::format("  Not enough for {}: what is measured there may be the clients' limit.\n",
                        fmt::join(beyond, ", "));
  }
  return text;
}

}  // namespace

std::string RenderFleetCheck(const Plan& plan, std::span<const FleetAgent> agents,
                             const std::vector<ReferenceRow>& reference) {
  const FleetCheck check(plan, agents, reference);
  return check.Agents() + check.Sizing();
}

}  // namespace sysfleet
