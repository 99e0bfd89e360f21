#include "coordinator/sysbench/to_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/status.h"
#include "coordinator/plan/parse.h"
#include "coordinator/plan/scalar.h"
#include "coordinator/sysbench/options.h"

namespace sysfleet {
namespace {

struct TlsWord {
  std::string_view word;
  std::string_view plan;
};
constexpr std::array<TlsWord, 14> kTlsWords = {{{"off", "disable"},
                                                {"false", "disable"},
                                                {"0", "disable"},
                                                {"DISABLED", "disable"},
                                                {"disable", "disable"},
                                                {"PREFERRED", "prefer"},
                                                {"allow", "prefer"},
                                                {"prefer", "prefer"},
                                                {"", "require"},
                                                {"on", "require"},
                                                {"true", "require"},
                                                {"1", "require"},
                                                {"REQUIRED", "require"},
                                                {"require", "require"}}};

std::string FlowList(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(YamlScalar(text));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

class Translator {
 public:
  Translator(const SysbenchCommand& command, const SysbenchContext& context)
      : command_(command),
        options_(command.options),
        context_(context),
        driver_(DriverName(command.options)) {}

  absl::StatusOr<Plan> Translate() {
    SYSFLEET_RETURN_IF_ERROR(CheckRefused());
    Put("name", command_.test);
    Put("agents", FlowList(options_.List("agents")));
    SYSFLEET_RETURN_IF_ERROR(PutDatabase());
    PutPlainOptions();
    PutDataset();
    PutThreads();
    if (is_run()) PutRun();
    if (options_.IsGiven("results-dir")) {
      Put("report.directory", YamlScalar(options_.Text("results-dir")));
    }
    return Parse();
  }

 private:
  bool is_run() const { return command_.command == "run"; }
  bool is_bulk() const { return command_.test == "bulk_insert"; }
  std::string Own(std::string_view name) const {
    return options_.Text(fmt::format("{}-{}", driver_, name));
  }
  void Put(std::string_view key, std::string value) {
    values_[std::string(key)] = std::move(value);
  }

  absl::Status CheckRefused() const {
    if (driver_ != "mysql" && driver_ != "pgsql") {
      return absl::InvalidArgumentError(fmt::format("invalid database driver name: '{}'", driver_));
    }
    for (const OptionSpec& spec : SysbenchOptionSpecs()) {
      const bool asks = spec.use == OptionUse::kRefused && !IsOfOtherDriver(spec, driver_) &&
                        options_.Text(spec.name) != spec.initial;
      const bool is_off = spec.type == OptionType::kBool && !options_.Flag(spec.name);
      if (asks && !is_off) {
        return absl::InvalidArgumentError(fmt::format("--{}: {}", spec.name, spec.note));
      }
    }
    return absl::OkStatus();
  }

  absl::Status PutDatabase() {
    Put("database.driver", driver_ == "mysql" ? "mysql" : "postgresql");
    if (driver_ == "pgsql" && IsYugabytedb()) Put("database.flavor", "yugabytedb");
    std::vector<std::string> nodes;
    for (const std::string& host : options_.List(driver_ + "-host")) {
      if (host.starts_with('/')) {
        return absl::InvalidArgumentError(fmt::format(
            "--{}-host: agents are other machines and connect over TCP, not to {}", driver_, host));
      }
      // sysbench goes through the ports of a host before it takes the next host.
      for (const std::string& port : options_.List(driver_ + "-port")) {
        const bool is_ipv6 = host.find(':') != std::string::npos;
        nodes.push_back(fmt::format("{}:{}", is_ipv6 ? "[" + host + "]" : host, port));
      }
    }
    Put("database.nodes", FlowList(nodes));
    Put("database.name", YamlScalar(Own("db")));
    Put("database.user", YamlScalar(Own("user")));
    std::string password = Own("password");
    if (password.empty()) {
      password = driver_ == "mysql" ? context_.mysql_password : context_.pgsql_password;
    }
    Put("database.password", YamlScalar(password));
    return PutTls(driver_ == "mysql" ? "mysql-ssl" : "pgsql-sslmode");
  }

  absl::Status PutTls(const std::string& option) {
    const std::string value = options_.Text(option);
    const auto found = std::find_if(kTlsWords.begin(), kTlsWords.end(),
                                    [&](const TlsWord& known) { return known.word == value; });
    if (found == kTlsWords.end()) {
      return absl::InvalidArgumentError(
          fmt::format("--{}: '{}' is not possible; agents encrypt, but compare no certificates",
                      option, value));
    }
    Put("database.tls", std::string(found->plan));
    return absl::OkStatus();
  }

  /// Only its fork's users name its options.
  bool IsYugabytedb() const {
    const auto specs = SysbenchOptionSpecs();
    return std::any_of(specs.begin(), specs.end(), [this](const OptionSpec& spec) {
      return spec.group == OptionGroup::kYugabytedb && spec.plan_key.starts_with("dataset.") &&
             options_.IsGiven(spec.name);
    });
  }

  /// What is not given is left to the plan, whose defaults are sysbench's.
  void PutPlainOptions() {
    for (const OptionSpec& spec : SysbenchOptionSpecs()) {
      const bool plain = spec.use == OptionUse::kPlain || spec.use == OptionUse::kSeconds;
      if (!plain || !options_.IsGiven(spec.name) || IsOfOtherDriver(spec, driver_)) continue;
      const std::string key = KeyOf(spec);
      if (key.empty()) continue;
      std::string value = options_.Text(spec.name);
      if (spec.use == OptionUse::kSeconds) value += 's';
      if (spec.type == OptionType::kBool) value = options_.Flag(spec.name) ? "on" : "off";
      if (spec.type == OptionType::kString) value = YamlScalar(value);
      Put(key, value);
    }
  }

  /// Empty where the command has no use for the option.
  std::string KeyOf(const OptionSpec& spec) const {
    const bool is_of_run = spec.plan_key.starts_with("run.");
    if (is_bulk() && !is_of_run) return "";
    // It says how k of the rows is drawn, too.
    const bool fills = !is_run() && !is_bulk() && spec.group == OptionGroup::kRandom;
    if (fills) return fmt::format("dataset.{}", spec.plan_key.substr(spec.plan_key.find('.') + 1));
    return is_of_run && !is_run() ? "" : std::string(spec.plan_key);
  }

  void PutDataset() {
    if (is_run()) Put("dataset.existing", "on");
    if (!is_bulk()) return;
    Put("dataset.schema", "bulk_insert");
    Put("dataset.tables", options_.Text("threads"));
  }

  void PutThreads() {
    const auto agents = static_cast<int64_t>(std::max<size_t>(1, options_.List("agents").size()));
    // For a run, preparing consists of a question or two.
    const int64_t load = is_run() ? agents : std::max(agents, options_.Integer("threads"));
    Put("load.threads", fmt::format("{}", load));
  }

  void PutRun() {
    Put("run.workloads", FlowList({command_.test}));
    Put("run.threads", options_.Text("threads"));
    if (options_.IsGiven("events")) Put("run.events", options_.Text("events"));
    Put("run.time", options_.Text("time") + "s");
    if (options_.Integer("rate") > 0) Put("run.rate", options_.Text("rate"));
    if (options_.Integer("reconnect") > 0) Put("run.reconnect", options_.Text("reconnect"));
    const int64_t seed = options_.Integer("rand-seed");
    Put("run.seed",
        fmt::format("{}", seed == 0 ? context_.random_seed
                                    : static_cast<uint64_t>(static_cast<uint32_t>(seed))));
    PutIgnoredErrors();
    if (const auto wait = ForcedShutdownSeconds(options_)) {
      Put("run.forced_shutdown", fmt::format("{}s", *wait));
    }
    const std::vector<std::string> percentiles = options_.List("percentile");
    if (options_.Integer("percentile") != 0 || percentiles.size() > 1) {
      Put("report.percentiles", fmt::format("[{}]", fmt::join(percentiles, ", ")));
    }
  }

  void PutIgnoredErrors() {
    if (driver_ != "mysql") {
      // Fixed in sysbench: deadlocks, duplicate keys, failed serialisation.
      return Put("run.ignore_errors", "[40P01, \"23505\", \"40001\"]");
    }
    const std::vector<std::string> codes = options_.List("mysql-ignore-errors");
    const bool all = std::find(codes.begin(), codes.end(), "all") != codes.end();
    Put("run.ignore_errors", all ? "all" : FlowList(codes));
  }

  absl::StatusOr<Plan> Parse() const {
    std::map<std::string, std::string> sections;
    std::string text;
    for (const auto& [key, value] : values_) {
      const size_t dot = key.find('.');
      if (dot == std::string::npos) {
        text += fmt::format("{}: {}\n", key, value);
      } else {
        sections[key.substr(0, dot)] += fmt::format("  {}: {}\n", key.substr(dot + 1), value);
      }
    }
    for (const auto& [name, lines] : sections) text += fmt::format("{}:\n{}", name, lines);
    PlanOrErrors plan = ParsePlan(text, "sysbench", ".", {});
    if (auto* const errors = std::get_if<std::vector<PlanError>>(&plan)) return Explain(*errors);
    return std::get<Plan>(std::move(plan));
  }

  /// The plan's keys as the options that they came from.
  absl::Status Explain(const std::vector<PlanError>& errors) const {
    std::vector<std::string> lines;
    for (const PlanError& error : errors) {
      std::string line = error.message;
      const size_t end = line.find(':');
      for (const OptionSpec& spec : SysbenchOptionSpecs()) {
        const bool meant = !spec.plan_key.empty() && line.substr(0, end) == spec.plan_key &&
                           options_.IsGiven(spec.name) && !IsOfOtherDriver(spec, driver_);
        if (!meant) continue;
        line = fmt::format("--{}{}", spec.name, line.substr(end));
        break;
      }
      lines.push_back(std::move(line));
    }
    return absl::InvalidArgumentError(fmt::format("{}", fmt::join(lines, "\n")));
  }

  const SysbenchCommand& command_;
  const SysbenchOptions& options_;
  const SysbenchContext& context_;
  const std::string driver_;
  std::map<std::string, std::string> values_;  // by dotted key
};

}  // namespace

std::optional<int64_t> ForcedShutdownSeconds(const SysbenchOptions& options) {
  std::string text = options.Text("forced-shutdown");
  if (text == "off") return std::nullopt;
  // Alone it is 5 % of the time.
  if (text.empty()) text = "5%";
  const int64_t number = std::strtoll(text.c_str(), nullptr, 10);
  return text.back() == '%' ? options.Integer("time") * number / 100 : number;
}

std::string DriverName(const SysbenchOptions& options) {
  if (options.IsGiven("db-driver")) return options.Text("db-driver");
  bool mysql = false;
  bool pgsql = false;
  for (const OptionSpec& spec : SysbenchOptionSpecs()) {
    if (!options.IsGiven(spec.name)) continue;
    mysql |= spec.group == OptionGroup::kMysql;
    pgsql |= spec.group == OptionGroup::kPgsql;
  }
  return pgsql && !mysql ? "pgsql" : "mysql";
}

absl::StatusOr<Plan> ToPlan(const SysbenchCommand& command, const SysbenchContext& context) {
  return Translator(command, context).Translate();
}

}  // namespace sysfleet
