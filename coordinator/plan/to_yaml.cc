#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "coordinator/plan/names.h"
#include "coordinator/plan/parse.h"
#include "coordinator/plan/scalar.h"
#include "coordinator/plan/secrets.h"
#include "coordinator/plan/workload_options.h"

namespace sysfleet {
namespace {

std::string Endpoints(const std::vector<Endpoint>& endpoints) {
  std::vector<std::string> words;
  for (const Endpoint& endpoint : endpoints) {
    const std::string text = ToString(endpoint);
    words.push_back(text.starts_with('[') ? YamlScalar(text) : text);
  }
  return fmt::format("[{}]", fmt::join(words, ", "));
}

std::string_view OnOff(bool value) {
  return value ? "on" : "off";
}

std::string StatementsYaml(std::string_view key, const std::vector<std::string>& statements,
                           const DatabasePlan& database) {
  if (statements.empty()) return fmt::format("  {}: []\n", key);
  std::string text = fmt::format("  {}:\n", key);
  for (const std::string& sql : statements) {
    text += fmt::format("    - {}\n", YamlScalar(HideSecrets(sql, database)));
  }
  return text;
}

std::string DatabaseYaml(const DatabasePlan& database) {
  std::string text = fmt::format(
      "database:\n  driver: {}\n  flavor: {}\n  nodes: {}\n  name: {}\n  user: {}\n"
      "  password: {}\n  tls: {}\n",
      ToString(database.driver), ToString(database.flavor), Endpoints(database.nodes),
      YamlScalar(database.name), YamlScalar(database.user),
      YamlScalar(database.password.empty() ? "" : kHiddenSecret), ToString(database.tls));
  return text + StatementsYaml("before_run", database.before_run, database);
}

/// Options that the database's family does not have are left out.
std::string DatasetYaml(const DatabasePlan& database, const DatasetPlan& dataset) {
  std::string text = fmt::format("dataset:\n  existing: {}\n  schema: {}\n  tables: {}\n",
                                 OnOff(dataset.existing), ToString(dataset.schema), dataset.tables);
  // Its tables have nothing else to choose.
  if (dataset.schema == DatasetSchema::kBulkInsert) return text;
  text += fmt::format(
      "  table_size: {}\n  auto_inc: {}\n  id_type: {}\n  create_secondary: {}\n  index: {}\n"
      "  create_table_options: {}\n",
      dataset.table_size, OnOff(dataset.auto_inc), ToString(dataset.id_type),
      OnOff(dataset.create_secondary), ToString(dataset.index),
      YamlScalar(dataset.create_table_options));
  if (database.driver == Driver::kMysql) {
    text += fmt::format("  secondary: {}\n  mysql_storage_engine: {}\n", OnOff(dataset.secondary),
                        YamlScalar(dataset.mysql_storage_engine));
  } else {
    text += fmt::format("  serial_cache_size: {}\n", dataset.serial_cache_size);
  }
  if (database.flavor == Flavor::kYugabytedb) {
    text += fmt::format(
        "  range_key_partitioning: {}\n  manual_range_splitting: {}\n  num_table_splits: {}\n",
        OnOff(dataset.range_key_partitioning), OnOff(dataset.manual_range_splitting),
        dataset.num_table_splits);
  }
  for (const RandomOption& option : RandomOptionList()) {
    text += fmt::format("  {}: {}\n", option.name, OptionText(option, dataset.random));
  }
  return text + fmt::format("  seed: {}\n", dataset.seed);
}

/// What all workloads have in common stands once, above them.
std::string WorkloadsYaml(const std::vector<WorkloadPlan>& workloads) {
  std::string common;
  std::vector<std::string> own(workloads.size());
  const auto add = [&](const auto& option, const auto& options_of) {
    std::vector<std::string> values;
    for (const WorkloadPlan& workload : workloads) {
      values.push_back(OptionText(option, options_of(workload)));
    }
    const bool same = std::all_of(values.begin(), values.end(),
                                  [&](const std::string& value) { return value == values[0]; });
    if (same) common += fmt::format("  {}: {}\n", option.name, values[0]);
    for (size_t i = 0; !same && i < values.size(); ++i) {
      own[i] += fmt::format(", {}: {}", option.name, values[i]);
    }
  };
  for (const WorkloadOption& option : WorkloadOptionList()) {
    add(option, [](const WorkloadPlan& workload) { return workload.options; });
  }
  for (const RandomOption& option : RandomOptionList()) {
    add(option, [](const WorkloadPlan& workload) { return workload.options.random; });
  }
  std::string list = "  workloads:\n";
  for (size_t i = 0; i < workloads.size(); ++i) {
    list += fmt::format("    - {{use: {}, label: {}{}}}\n", workloads[i].use,
                        YamlScalar(workloads[i].label), own[i]);
  }
  return common + list;
}

std::string ErrorPolicyText(const ErrorPolicy& policy) {
  if (policy.all) return "all";
  return fmt::format("[{}]", fmt::join(policy.codes, ", "));
}

// Not where a search decides on them.
std::string ThreadsYaml(const RunPlan& run) {
  const bool is_searched = run.search && run.search->vary == SearchDimension::kThreads;
  return is_searched ? "" : fmt::format("  threads: [{}]\n", fmt::join(run.threads, ", "));
}

// A closed loop has neither.
std::string RatesYaml(const RunPlan& run) {
  const bool is_searched = run.search && run.search->vary == SearchDimension::kRate;
  std::string text;
  if (!run.rates.empty()) text += fmt::format("  rate: [{}]\n", fmt::join(run.rates, ", "));
  if (!text.empty() || is_searched) {
    text += fmt::format("  arrivals: {}\n", ToString(run.arrivals));
  }
  return text;
}

std::string WarmupText(const RunPlan& run) {
  if (!run.warmup_min) return fmt::format("{}s", run.warmup_time.count());
  return fmt::format("{{min: {}s, max: {}s}}", run.warmup_min->count(), run.warmup_time.count());
}

std::string SweepYaml(const RunPlan& run, const DatabasePlan& database) {
  std::string text = fmt::format("  repeat: {}\n  order: {}\n  pause: {}s\n", run.repeat,
                                 ToString(run.order), run.pause.count());
  text += StatementsYaml("before_cell", run.before_cell, database);
  text += StatementsYaml("after_cell", run.after_cell, database);
  if (const auto& search = run.search) {
    text += fmt::format(
        "  search:\n    vary: {}\n    limit: {}\n    from: {}\n    to: {}\n"
        "    confirm_time: {}s\n",
        ToString(search->vary), YamlScalar(ToString(search->limit)), search->from, search->to,
        search->confirm_time.count());
  }
  return text;
}

std::string RunYaml(const RunPlan& run) {
  return fmt::format(
      "run:\n{}{}{}  warmup_time: {}\n  time: {}s\n  events: {}\n"
      "  ignore_errors: {}\n  thread_init_timeout: {}s\n"
      "  retry_limit: {}\n  reconnect: {}\n  forced_shutdown: {}s\n  seed: {}\n"
      "  audit: {}\n",
      WorkloadsYaml(run.workloads), ThreadsYaml(run), RatesYaml(run), WarmupText(run),
      run.time.count(), run.events, ErrorPolicyText(run.ignore_errors),
      run.thread_init_timeout.count(), run.retry_limit, run.reconnect, run.forced_shutdown.count(),
      run.seed, OnOff(run.audit));
}

// Absolute, since the text may be stored anywhere and is read from there.
std::string PathScalar(const std::string& path) {
  std::error_code ignored;
  return YamlScalar(std::filesystem::absolute(path, ignored).string());
}

std::string FleetYaml(const FleetPlan& fleet) {
  std::string text = fmt::format("fleet:\n  lease: {}s\n  insecure: {}\n", fleet.lease.count(),
                                 OnOff(fleet.security.insecure));
  if (const auto& tls = fleet.security.tls) {
    text += fmt::format("  tls:\n    ca: {}\n    certificate: {}\n    key: {}\n",
                        PathScalar(tls->ca), PathScalar(tls->certificate), PathScalar(tls->key));
  }
  return text;
}

std::string ReportYaml(const ReportPlan& report) {
  std::string text =
      fmt::format("report:\n  percentiles: [{}]\n", fmt::join(report.percentiles, ", "));
  if (!report.reference.empty()) {
    text += fmt::format("  reference: {}\n", PathScalar(report.reference));
  }
  return text + fmt::format("  directory: {}\n", YamlScalar(report.directory));
}

}  // namespace

std::string ToYaml(const Plan& plan) {
  std::string text =
      fmt::format("name: {}\nagents: {}\n", YamlScalar(plan.name), Endpoints(plan.agents));
  text += FleetYaml(plan.fleet);
  text += DatabaseYaml(plan.database);
  text += plan.own_yaml;
  // Its seed is that of the plan's own tables, too; they stand in its place else.
  text += plan.tables.empty() ? DatasetYaml(plan.database, plan.dataset)
                              : fmt::format("dataset:\n  seed: {}\n", plan.dataset.seed);
  text += fmt::format("load:\n  threads: {}\n  chunk_rows: {}\n  method: {}\n", plan.load.threads,
                      plan.load.chunk_rows, ToString(plan.load.method));
  // A plan that only prepares a data set has no such section.
  if (!plan.run.workloads.empty()) text += RunYaml(plan.run) + SweepYaml(plan.run, plan.database);
  return text + ReportYaml(plan.report);
}

}  // namespace sysfleet
