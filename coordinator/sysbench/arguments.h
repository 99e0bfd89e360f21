// sysbench's command line: what it accepts, and what it says about what it does not accept, in its
// own words and with its own exit codes. Pure but for the reader of config files, which is given.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace sysfleet {

/// Values by name, valid for their types. A name is spelled in either way; it must be one of
/// SysbenchOptionSpecs().
class SysbenchOptions {
 public:
  void Set(std::string_view name, std::string value);

  bool IsGiven(std::string_view name) const;
  /// What was given, or the default.
  std::string Text(std::string_view name) const;
  bool Flag(std::string_view name) const;
  int64_t Integer(std::string_view name) const;
  /// Without empty items.
  std::vector<std::string> List(std::string_view name) const;

  /// 0 to 5; --debug is 5.
  int64_t verbosity() const { return Flag("debug") ? 5 : Integer("verbosity"); }

 private:
  std::map<std::string, std::string> given_;  // by canonical name
};

struct SysbenchCommand {
  /// "oltp_read_write", without a path and ".lua".
  std::string test;
  /// "prepare", "create", "load", "warmup", "prewarm", "run" or "cleanup".
  std::string command;
  SysbenchOptions options;
  /// Lines about deprecated options, each with its line end.
  std::string warnings;
};

/// There is nothing to do but to print this and exit.
struct SysbenchExit {
  std::string out;
  std::string err;
  int code = 1;
};

using ReadText = std::function<absl::StatusOr<std::string>(const std::string& path)>;

/// `arguments` without the program's name.
std::variant<SysbenchCommand, SysbenchExit> ParseSysbenchArguments(
    std::span<const std::string> arguments, const ReadText& read_config);

/// "sysbench 1.0.20 (using sysfleet 1.2.3)" and an empty line.
std::string SysbenchBanner();

/// All options by groups; and those of a test.
std::string SysbenchUsage();
std::string SysbenchTestHelp(std::string_view test);

}  // namespace sysfleet
