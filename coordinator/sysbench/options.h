// sysbench's options as one table: the union of 1.0.20, its development version and YugabyteDB's
// fork, and a few of our own. Parsing, translating to a plan, --help and the documentation all read
// it. Constant data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sysfleet {

enum class OptionType : uint8_t { kBool, kInt, kSize, kDouble, kString, kList, kFile };

/// The groups of --help, in its order.
enum class OptionGroup : uint8_t {
  kGeneral,
  kRandom,
  kLog,
  kDatabase,
  kMysql,
  kPgsql,
  kOltp,
  kYugabytedb,
  kOurs,
};

enum class OptionUse : uint8_t {
  kPlain,    // its value stands at plan_key as it is
  kSeconds,  // the same, as a number of seconds
  kOwnRule,  // translated by a rule of its own; plan_key, if any, says where to
  kDisplay,  // says what is printed
  kIgnored,  // accepted without effect; `note` says why
  kRefused,  // an error where it asks for something else than the default; `note` says why
};

struct OptionSpec {
  /// As sysbench spells it; '-' and '_' are the same to a parser.
  std::string_view name;
  OptionType type;
  /// Empty: none.
  std::string_view initial;
  OptionGroup group;
  OptionUse use;
  std::string_view plan_key;
  std::string_view meaning;
  /// What is different from sysbench.
  std::string_view note;
};

std::span<const OptionSpec> SysbenchOptionSpecs();

/// Nothing for an unknown name; `name` without the dashes in front.
const OptionSpec* FindOption(std::string_view name);

/// "report_interval" for "report-interval": how options are kept.
std::string CanonicalName(std::string_view name);

std::string_view ToString(OptionGroup group);

/// Is it for one driver only, and not for this one ("mysql" or "pgsql")?
bool IsOfOtherDriver(const OptionSpec& spec, std::string_view driver);

}  // namespace sysfleet
