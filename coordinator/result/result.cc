#include "coordinator/result/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "common/base/text.h"

namespace sysfleet {

namespace {

double LittlesRest(double tps, double mean_ns, int connections) {
  const double connections_waiting = tps * mean_ns / 1e9;
  return std::clamp(1 - connections_waiting / connections, 0.0, 1.0);
}

}  // namespace

double CellResult::RateMissed() const {
  if (!open_loop) return 0;
  const auto missed = static_cast<double>(open_loop->not_begun);
  const auto begun = static_cast<double>(latency.count() + rolled_back + failed);
  return missed > 0 ? missed / (missed + begun) : 0;
}

std::optional<double> CellResult::ClientShare() const {
  if (open_loop || transactions == 0 || threads <= 0) return std::nullopt;
  // Not TPS: a bulk INSERT counts as many transactions and has one latency.
  return LittlesRest(PerSecond(latency.count()), latency.MeanNs(), threads);
}

std::optional<double> CellResult::ClientShare(const AgentCellResult& agent) const {
  if (open_loop || agent.transactions == 0 || agent.connections <= 0 || !agent.mean_ns) {
    return std::nullopt;
  }
  return LittlesRest(Tps(agent), *agent.mean_ns, agent.connections);
}

std::string LoadOf(const CellResult& cell) {
  const std::string threads = Counted(cell.threads, "thread");
  return cell.open_loop ? fmt::format("{} at {}/s", threads, RateText(cell.open_loop->rate_per_s))
                        : threads;
}

std::string RateText(double rate_per_s) {
  const bool is_whole = std::floor(rate_per_s) == rate_per_s;
  return is_whole ? WithThousands(rate_per_s, 0) : fmt::format("{}", rate_per_s);
}

std::string Describe(const InvariantResult& invariant) {
  return invariant.holds()
             ? fmt::format("{} is {} as before", invariant.sql, invariant.after)
             : fmt::format("{} was {} and is {}", invariant.sql, invariant.before, invariant.after);
}

std::string Describe(const SearchResult& search) {
  if (!search.answer) return fmt::format("nothing keeps {}; {}", search.limit, search.reason);
  const std::string level = search.vary == "rate" ? Grouped(*search.answer) + "/s keeps"
                                                  : Counted(*search.answer, "thread") + " keep";
  return fmt::format("{} {}, with {} TPS; {}", level, search.limit, WithThousands(search.tps, 1),
                     search.reason);
}

int FleetCores(const RunResult& result) {
  std::map<std::string, int> cores_by_host;
  for (const AgentResult& agent : result.agents) cores_by_host[agent.host] = agent.cores;
  int cores = 0;
  for (const auto& [host, count] : cores_by_host) cores += count;
  return cores;
}

}  // namespace sysfleet
