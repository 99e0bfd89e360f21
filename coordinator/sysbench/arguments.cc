#include "coordinator/sysbench/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

#include "common/base/status.h"
#include "common/base/version.h"
#include "coordinator/plan/known_workloads.h"
#include "coordinator/sysbench/config_file.h"
#include "coordinator/sysbench/options.h"

namespace sysfleet {
namespace {

constexpr std::array<std::string_view, 8> kCommands = {"prepare", "create", "load",    "warmup",
                                                       "prewarm", "run",    "cleanup", "help"};
constexpr std::array<std::string_view, 6> kDistributions = {
    "uniform", "gaussian", "special", "pareto", "zipfian", "scrambled_zipfian"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOldNames = {
    {{"num-threads", "threads"},
     {"max-requests", "events"},
     {"max-time", "time"},
     {"tx-rate", "rate"}}};
constexpr size_t kCheckpointsMax = 256;

template <typename Number>
std::optional<Number> ParseWhole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<bool> ParseBool(std::string_view text) {
  if (text == "on" || text == "true" || text == "1") return true;
  if (text == "off" || text == "false" || text == "0") return false;
  return std::nullopt;
}

bool IsSize(std::string_view text) {
  constexpr std::string_view kUnits = "KMGTkmgt";
  if (!text.empty() && kUnits.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return ParseWhole<int64_t>(text).value_or(-1) >= 0;
}

bool IsValid(OptionType type, const std::string& value) {
  switch (type) {
    case OptionType::kBool:
      return ParseBool(value).has_value();
    case OptionType::kInt:
      return ParseWhole<int32_t>(value).has_value();
    case OptionType::kSize:
      return IsSize(value);
    case OptionType::kDouble:
      return ParseWhole<double>(value).has_value();
    case OptionType::kString:
    case OptionType::kList:
    case OptionType::kFile:
      return true;
  }
  return false;
}

/// What a flag without a value means: as sysbench reads it.
std::string BareValue(OptionType type) {
  if (type == OptionType::kBool) return "on";
  return type == OptionType::kInt || type == OptionType::kDouble ? "0" : "";
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) items.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

bool IsTest(std::string_view name) {
  return name == "oltp_common" || FindWorkload(name) != nullptr;
}

/// "oltp_insert" for "/usr/share/sysbench/oltp_insert.lua" too.
std::string TestName(const std::string& argument) {
  const std::filesystem::path path(argument);
  return path.extension() == ".lua" ? path.stem().string() : path.filename().string();
}

class ArgumentParser {
 public:
  explicit ArgumentParser(const ReadText& read_config) : read_config_(read_config) {}

  std::variant<SysbenchCommand, SysbenchExit> Parse(std::span<const std::string> arguments) {
    for (const std::string& argument : arguments) {
      if (!argument.starts_with("--")) {
        TakeWord(argument);
      } else {
        TakeOption(argument);
      }
      if (exit_) return *std::move(exit_);
    }
    if (command_.options.Flag("version")) {
      return SysbenchExit{
          .out = fmt::format("sysbench 1.0.20 (sysfleet {})\n", kVersion), .err = "", .code = 0};
    }
    if (command_.options.Flag("help")) return SysbenchExit{SysbenchUsage(), "", 0};
    ApplyOldNames();
    CheckValues();
    if (!exit_) CheckWords();
    if (exit_) return *std::move(exit_);
    return std::move(command_);
  }

 private:
  void Refuse(std::string out, std::string err) {
    if (!exit_) exit_ = SysbenchExit{std::move(out), std::move(err), 1};
  }
  void Fatal(const std::string& message) { Refuse(fmt::format("FATAL: {}\n", message), ""); }
  /// sysbench finds these after it has said who it is.
  void FatalBehindBanner(const std::string& message) {
    Refuse(fmt::format("{}FATAL: {}\n", Banner(), message), "");
  }
  std::string Banner() const {
    return command_.options.verbosity() < 3 ? "" : command_.warnings + SysbenchBanner();
  }

  void TakeWord(const std::string& word) {
    if (!test_) {
      test_ = word;
    } else if (!has_command_) {
      command_.command = word;
      has_command_ = true;
    } else {
      Refuse("", fmt::format("Unrecognized command line argument: {}\n", word));
    }
  }

  void TakeOption(const std::string& argument) {
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const OptionSpec* const spec = FindOption(name);
    if (spec == nullptr) {
      if (unknown_.empty()) unknown_ = argument;
      return;
    }
    const std::string value =
        equals == std::string::npos ? BareValue(spec->type) : argument.substr(equals + 1);
    if (!SetValue(*spec, value) && spec->type == OptionType::kBool && unknown_.empty()) {
      unknown_ = argument;
    }
    if (spec->name == "config-file") TakeConfigFile(value);
  }

  bool SetValue(const OptionSpec& spec, const std::string& value) {
    // An empty value leaves the default, but empties a text.
    const bool is_text = spec.type == OptionType::kString || spec.type == OptionType::kList ||
                         spec.type == OptionType::kFile;
    if (value.empty() && !is_text) return true;
    if (IsValid(spec.type, value)) {
      command_.options.Set(spec.name, value);
      return true;
    }
    if (spec.type != OptionType::kBool) {
      Refuse("", fmt::format("Invalid value for the '{}' option: '{}'\n", spec.name, value));
    }
    return false;
  }

  // sysbench goes on without a file that it cannot read; a benchmark with other options than those
  // that were meant is worse than none.
  void TakeConfigFile(const std::string& path) {
    const auto text = read_config_(path);
    if (!text.ok()) return Refuse("", fmt::format("{}: {}\n", path, Message(text.status())));
    for (const ConfigLine& line : ParseConfigFile(*text)) {
      const OptionSpec* const spec = FindOption(line.name);
      if (spec == nullptr || spec->name == "config-file" || !SetValue(*spec, line.value)) {
        return Refuse("", fmt::format("{}:{}: invalid option: {}={}\n", path, line.number,
                                      line.name, line.value));
      }
    }
  }

  void ApplyOldNames() {
    for (const auto& [old_name, name] : kOldNames) {
      if (!command_.options.IsGiven(old_name)) continue;
      command_.options.Set(name, command_.options.Text(old_name));
      command_.warnings +=
          fmt::format("WARNING: --{} is deprecated, use --{} instead\n", old_name, name);
    }
    if (!test_ || !command_.options.IsGiven("test")) {
      if (command_.options.IsGiven("test")) test_ = command_.options.Text("test");
    } else if (!has_command_) {
      // "--test=NAME run": the first word is the command.
      command_.command = *std::exchange(test_, command_.options.Text("test"));
      has_command_ = true;
    }
  }

  void CheckValues() {
    const SysbenchOptions& options = command_.options;
    if (options.Integer("verbosity") < 0 || options.Integer("verbosity") > 5) {
      return Refuse(fmt::format("Invalid value for verbosity: {}\n", options.Text("verbosity")),
                    "");
    }
    if (options.Integer("threads") <= 0) {
      return Fatal(fmt::format("Invalid value for --threads: {}.\n", options.Text("threads")));
    }
    for (const std::string_view name :
         {"events", "time", "warmup-time", "rate", "report-interval", "thread-init-timeout"}) {
      if (options.Integer(name) >= 0) continue;
      return Fatal(fmt::format("Invalid value for --{}: {}", name, options.Text(name)));
    }
    CheckPercentiles();
    const std::string distribution = options.Text("rand-type");
    if (std::find(kDistributions.begin(), kDistributions.end(), distribution) ==
        kDistributions.end()) {
      return Fatal(fmt::format("Invalid random numbers distribution: {}.", distribution));
    }
    CheckCheckpoints();
    CheckForcedShutdown();
  }

  void CheckPercentiles() {
    const SysbenchOptions& options = command_.options;
    const std::vector<std::string> percentiles = options.List("percentile");
    for (const std::string& text : percentiles) {
      const auto percent = ParseWhole<int>(text);
      if (!percent) {
        return Refuse("", fmt::format("Invalid value for the 'percentile' option: '{}'\n", text));
      }
      const bool disables = *percent == 0 && percentiles.size() == 1;
      if (!disables && (*percent < 1 || *percent > 100)) {
        return Fatal(fmt::format("Invalid value for --percentile: {}", text));
      }
      if (disables && options.Flag("histogram")) {
        return Fatal("--histogram cannot be used with --percentile=0");
      }
    }
  }

  void CheckCheckpoints() {
    const std::vector<std::string> points = command_.options.List("report-checkpoints");
    if (points.size() > kCheckpointsMax) {
      return Fatal(fmt::format("Too many checkpoints: at most {} are possible", kCheckpointsMax));
    }
    for (const std::string& point : points) {
      if (ParseWhole<int>(point).value_or(0) > 0) continue;
      return Fatal(fmt::format("Invalid value for --report-checkpoints: '{}'", point));
    }
  }

  void CheckForcedShutdown() {
    std::string text = command_.options.Text("forced-shutdown");
    if (text.empty() || text == "off") return;
    const std::string whole = text;
    if (text.back() == '%') text.pop_back();
    if (ParseWhole<int>(text).value_or(-1) < 0) {
      Fatal(fmt::format("Invalid value for --forced-shutdown: '{}'", whole));
    }
  }

  void CheckWords() {
    if (!test_) {
      exit_ = SysbenchExit{SysbenchUsage(), "", 0};
      return;
    }
    command_.test = TestName(*test_);
    if (!IsTest(command_.test)) {
      return FatalBehindBanner(
          fmt::format("Cannot find benchmark '{}': no such built-in test, file or module", *test_));
    }
    if (!unknown_.empty()) {
      return Refuse(Banner(), fmt::format("invalid option: {}\n", unknown_));
    }
    if (!has_command_) {
      return FatalBehindBanner(
          fmt::format("Command is required. Supported commands: {}", fmt::join(kCommands, ", ")));
    }
    if (std::find(kCommands.begin(), kCommands.end(), command_.command) == kCommands.end()) {
      return Refuse(Banner(), fmt::format("Unknown command: {}\n", command_.command));
    }
    if (command_.command == "help") {
      exit_ = SysbenchExit{Banner() + SysbenchTestHelp(command_.test), "", 0};
    } else if (command_.test == "oltp_common" && command_.command == "run") {
      FatalBehindBanner(
          "oltp_common has no transactions to run; name a test such as "
          "oltp_read_write");
    }
  }

  const ReadText& read_config_;
  SysbenchCommand command_;
  std::optional<std::string> test_;
  bool has_command_ = false;
  std::string unknown_;  // the first option that is none
  std::optional<SysbenchExit> exit_;
};

}  // namespace

void SysbenchOptions::Set(std::string_view name, std::string value) {
  given_[CanonicalName(name)] = std::move(value);
}

bool SysbenchOptions::IsGiven(std::string_view name) const {
  return given_.contains(CanonicalName(name));
}

std::string SysbenchOptions::Text(std::string_view name) const {
  const auto found = given_.find(CanonicalName(name));
  return found != given_.end() ? found->second : std::string(FindOption(name)->initial);
}

bool SysbenchOptions::Flag(std::string_view name) const {
  return ParseBool(Text(name)).value_or(false);
}

int64_t SysbenchOptions::Integer(std::string_view name) const {
  return ParseWhole<int64_t>(Text(name)).value_or(0);
}

std::vector<std::string> SysbenchOptions::List(std::string_view name) const {
  return SplitList(Text(name));
}

std::variant<SysbenchCommand, SysbenchExit> ParseSysbenchArguments(
    std::span<const std::string> arguments, const ReadText& read_config) {
  return ArgumentParser(read_config).Parse(arguments);
}

}  // namespace sysfleet
