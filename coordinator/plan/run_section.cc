#include <fmt/format.h>

#include <algorithm>

#include "coordinator/plan/known_workloads.h"
#include "coordinator/plan/names.h"
#include "coordinator/plan/sections.h"
#include "coordinator/plan/suggest.h"
#include "coordinator/plan/sweep_section.h"
#include "coordinator/plan/values.h"
#include "coordinator/plan/workload_options.h"

namespace sysfleet {
namespace {

std::shared_ptr<const OwnWorkload> FindOwn(const Plan& plan, std::string_view name) {
  for (const auto& own : plan.workloads) {
    if (own->name == name) return own;
  }
  return nullptr;
}

/// The name of a workload at `node`; empty, and an error, where it is none.
std::string ReadUse(const Node& node, std::string_view path, const Plan& plan,
                    const ReadContext& context) {
  const auto expanded = ReadExpanded(node, path, "a workload's name", context);
  if (!expanded) return {};
  if (FindWorkload(expanded->text) != nullptr || FindOwn(plan, expanded->text) != nullptr) {
    return expanded->text;
  }
  std::vector<std::string_view> names;
  for (const auto& own : plan.workloads) names.push_back(own->name);
  for (const KnownWorkload& known : KnownWorkloads()) names.push_back(known.name);
  context.errors.Add(
      node.position, path,
      fmt::format("unknown workload {}; {}", Describe(node), Suggestion(node.text, names)));
  return {};
}

void ReadLabel(Section& section, std::string& label) {
  section.Read("label", label);
  const Node* const node = section.Find("label");
  if (node != nullptr && node->kind == NodeKind::kScalar && !IsPlainName(label)) {
    section.AddError(
        "label", node->position,
        fmt::format("expected letters, digits, '.', '_' and '-', got {}", Describe(*node)));
  }
}

WorkloadPlan ReadWorkload(const Node& node, std::string_view path, const WorkloadOptions& defaults,
                          const Plan& plan, const ReadContext& context) {
  WorkloadPlan workload;
  workload.options = defaults;
  if (node.kind != NodeKind::kMap) {
    workload.use = ReadUse(node, path, plan, context);
    workload.own = FindOwn(plan, workload.use);
    workload.label = workload.use;
    return workload;
  }
  Section section(&node, node.position, path, context);
  if (const Node* const use = section.Find("use")) {
    workload.use = ReadUse(*use, section.PathOf("use"), plan, context);
    workload.own = FindOwn(plan, workload.use);
  } else {
    section.AddError("use", node.position, "missing; name a workload, as in use: oltp_read_write");
  }
  workload.label = workload.use;
  if (section.Find("label") != nullptr) ReadLabel(section, workload.label);
  ReadOptions(section, workload.options);
  section.ReportUnknown();
  return workload;
}

void ReadWorkloads(Section& section, const WorkloadOptions& defaults, Plan& plan) {
  const auto items = section.Items("workloads");
  if (!items || items->empty()) {
    const Node* const node = section.Find("workloads");
    section.AddError("workloads", node == nullptr ? section.position() : node->position,
                     "missing; name at least one, as in [oltp_read_write]");
    return;
  }
  for (const Node* item : *items) {
    plan.run.workloads.push_back(
        ReadWorkload(*item, section.PathOf("workloads"), defaults, plan, section.context()));
  }
}

void ReadThreads(Section& section, std::vector<int>& threads) {
  const auto items = section.Items("threads");
  if (!items) return;
  threads.clear();
  const std::string path = section.PathOf("threads");
  for (const Node* item : *items) {
    // 0 keeps the place of a wrong number, so that others can be told by their place.
    const auto number = ReadInteger(*item, path, {1, 1'000'000}, section.context());
    threads.push_back(static_cast<int>(number.value_or(0)));
  }
  if (items->empty()) {
    section.AddError("threads", section.Find("threads")->position,
                     "expected at least one number, got an empty list");
  }
}

/// "5000/s", "2k/s", "0.5".
std::optional<double> ParseRate(std::string_view text) {
  if (text.ends_with("/s")) text.remove_suffix(2);
  if (const auto whole = ParseInteger(text)) return static_cast<double>(*whole);
  return ParseDecimal(text);
}

void ReadRates(Section& section, std::vector<double>& rates) {
  const auto items = section.Items("rate");
  if (!items) return;
  constexpr std::string_view kExpected = "transactions a second such as 5000/s";
  constexpr double kRateMax = 1e9;
  const std::string path = section.PathOf("rate");
  for (const Node* item : *items) {
    const auto text = ReadExpanded(*item, path, kExpected, section.context());
    if (!text) continue;
    const auto rate = ParseRate(text->text);
    if (rate && *rate > 0 && *rate <= kRateMax) {
      rates.push_back(*rate);
    } else {
      section.AddError("rate", item->position,
                       fmt::format("expected {}, got {}", kExpected, Describe(*item)));
    }
  }
}

bool IsSqlState(std::string_view code) {
  return code.size() == 5 && std::all_of(code.begin(), code.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

bool IsErrorNumber(std::string_view code) {
  const std::optional<int64_t> number = ParseInteger(code);
  return number && *number >= 1 && *number <= 65'535 && fmt::format("{}", *number) == code;
}

ErrorPolicy DefaultErrorPolicy(Driver driver) {
  // Deadlocks, conflicts, lock waits that took too long, duplicate keys: what sysbench retries,
  // with duplicate keys in both families.
  if (driver == Driver::kPostgresql) return {false, {"40P01", "23505", "40001"}};
  return {false, {"1213", "1020", "1205", "1062"}};
}

void ReadIgnoredErrors(Section& section, Driver driver, ErrorPolicy& policy) {
  policy = DefaultErrorPolicy(driver);
  const auto items = section.Items("ignore_errors");
  if (!items) return;
  policy.codes.clear();
  const bool postgresql = driver == Driver::kPostgresql;
  const std::string_view expected = postgresql ? "'all' or an SQLSTATE such as 40001"
                                               : "'all' or a MySQL error number such as 1213";
  const std::string path = section.PathOf("ignore_errors");
  const bool driver_known = !section.context().errors.Has("database.driver");
  for (const Node* item : *items) {
    auto code = ReadExpanded(*item, path, expected, section.context());
    if (!code) continue;
    if (code->text == "all") {
      policy.all = true;
    } else if (driver_known && !(postgresql ? IsSqlState(code->text) : IsErrorNumber(code->text))) {
      section.AddError("ignore_errors", item->position,
                       fmt::format("expected {}, got {}", expected, Describe(*item)));
    } else {
      policy.codes.push_back(std::move(code->text));
    }
  }
  if (policy.all) policy.codes.clear();
}

}  // namespace

void ReadRun(Section& top, Plan& plan) {
  RunPlan& run = plan.run;
  const bool present = top.Find("run") != nullptr;
  Section section = top.Sub("run");
  WorkloadOptions defaults;
  ReadOptions(section, defaults);
  // A plan without this section only prepares a data set.
  if (present) ReadWorkloads(section, defaults, plan);
  ReadThreads(section, run.threads);
  ReadRates(section, run.rates);
  section.Read("arrivals", run.arrivals, ArrivalProcessNames());
  ReadWarmup(section, run);
  section.Read("time", run.time, 0);
  section.Read("events", run.events, Range{});
  ReadIgnoredErrors(section, plan.database.driver, run.ignore_errors);
  section.Read("thread_init_timeout", run.thread_init_timeout, 1);
  section.Read("retry_limit", run.retry_limit, {0, INT32_MAX});
  section.Read("reconnect", run.reconnect, Range{});
  section.Read("forced_shutdown", run.forced_shutdown, 0);
  section.Read("seed", run.seed, Range{});
  section.Read("audit", run.audit);
  ReadSweep(section, plan);
  section.ReportUnknown();
}

}  // namespace sysfleet
