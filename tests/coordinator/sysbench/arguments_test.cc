// What sysbench's command line accepts, and what it says about the rest: expected texts are what
// the packaged sysbench 1.0.20 prints.
#include "coordinator/sysbench/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/sysbench/config_file.h"

namespace sysfleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

using Arguments = std::vector<std::string>;

absl::StatusOr<std::string> ReadConfig(const std::string& path) {
  if (path == "good.cfg") return "threads = 3\n# comment\ntables=7  # behind\nmysql-db=\"a b\"\n";
  if (path == "bad.cfg") return "threads=3\nthread=4\n";
  return absl::NotFoundError("No such file or directory");
}

SysbenchCommand Parsed(const Arguments& arguments) {
  auto parsed = ParseSysbenchArguments(arguments, ReadConfig);
  if (const auto* exit = std::get_if<SysbenchExit>(&parsed)) {
    ADD_FAILURE() << exit->out << exit->err;
    return {};
  }
  return std::get<SysbenchCommand>(parsed);
}

SysbenchExit Refused(const Arguments& arguments) {
  auto parsed = ParseSysbenchArguments(arguments, ReadConfig);
  if (const auto* exit = std::get_if<SysbenchExit>(&parsed)) return *exit;
  ADD_FAILURE() << "was accepted";
  return {};
}

TEST(ArgumentsTest, OrderAndSpellingAreFree) {
  for (const Arguments& arguments : std::vector<Arguments>{
           {"oltp_read_write", "--threads=4", "--table-size=7", "--range_selects=off", "run"},
           {"--table_size=7", "--range-selects=false", "oltp_read_write", "run", "--threads=4"},
           {"--range-selects=0", "/usr/share/sysbench/oltp_read_write.lua", "--threads=4", "run",
            "--table-size=7"},
           {"--test=oltp_read_write", "--threads=4", "--table-size=7", "--range_selects=off",
            "run"},
           {"--num-threads=4", "oltp_read_write", "run", "--table-size=9", "--table-size=7",
            "--range_selects=off"}}) {
    const SysbenchCommand command = Parsed(arguments);
    EXPECT_EQ(command.test, "oltp_read_write");
    EXPECT_EQ(command.command, "run");
    EXPECT_EQ(command.options.Integer("threads"), 4);
    EXPECT_EQ(command.options.Integer("table-size"), 7);
    EXPECT_FALSE(command.options.Flag("range_selects"));
    EXPECT_TRUE(command.options.Flag("auto_inc"));
    EXPECT_EQ(command.options.Integer("point_selects"), 10);
  }
}

TEST(ArgumentsTest, FlagsListsAndEmptyValues) {
  const SysbenchCommand command =
      Parsed({"oltp_insert", "run", "--histogram", "--mysql-host=a,,b", "--table-size=",
              "--mysql-password=", "--report-checkpoints=1,5", "--thread-stack-size=32K"});
  EXPECT_TRUE(command.options.Flag("histogram"));
  EXPECT_THAT(command.options.List("mysql_host"), ElementsAre("a", "b"));
  EXPECT_EQ(command.options.Integer("table_size"), 10000);
  EXPECT_THAT(command.options.List("report_checkpoints"), ElementsAre("1", "5"));
  EXPECT_EQ(command.options.verbosity(), 3);
  EXPECT_EQ(Parsed({"oltp_insert", "run", "--debug"}).options.verbosity(), 5);
}

TEST(ArgumentsTest, ConfigFileIsOverriddenByWhatComesLater) {
  const SysbenchCommand later =
      Parsed({"--config-file=good.cfg", "oltp_insert", "run", "--threads=2"});
  EXPECT_EQ(later.options.Integer("threads"), 2);
  EXPECT_EQ(later.options.Integer("tables"), 7);
  EXPECT_EQ(later.options.Text("mysql-db"), "a b");
  const SysbenchCommand earlier =
      Parsed({"--threads=2", "--config-file=good.cfg", "oltp_insert", "run"});
  EXPECT_EQ(earlier.options.Integer("threads"), 3);
}

TEST(ArgumentsTest, OldNamesWarn) {
  const SysbenchCommand command = Parsed({"oltp_insert", "run", "--max-time=5", "--tx-rate=7"});
  EXPECT_EQ(command.options.Integer("time"), 5);
  EXPECT_EQ(command.options.Integer("rate"), 7);
  EXPECT_EQ(command.warnings,
            "WARNING: --max-time is deprecated, use --time instead\n"
            "WARNING: --tx-rate is deprecated, use --rate instead\n");
}

struct RefusedCase {
  Arguments arguments;
  bool banner;
  std::string out;  // behind the banner
  std::string err;
};

class RefusedTest : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedTest, SaysWhatSysbenchSays) {
  const SysbenchExit exit = Refused(GetParam().arguments);
  EXPECT_EQ(exit.code, 1);
  EXPECT_EQ(exit.out, (GetParam().banner ? SysbenchBanner() : "") + GetParam().out);
  EXPECT_EQ(exit.err, GetParam().err);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RefusedTest,
    testing::Values(
        RefusedCase{{"oltp_read_write", "--foo=1", "run"}, true, "", "invalid option: --foo=1\n"},
        RefusedCase{
            {"oltp_read_write", "--foo", "--bar", "run"}, true, "", "invalid option: --foo\n"},
        RefusedCase{{"oltp_read_write", "--range_selects=maybe", "run"},
                    true,
                    "",
                    "invalid option: --range_selects=maybe\n"},
        RefusedCase{
            {"oltp_read_write", "--THREADS=2", "run"}, true, "", "invalid option: --THREADS=2\n"},
        RefusedCase{{"oltp_read_write", "--foo", "run", "--verbosity=1"},
                    false,
                    "",
                    "invalid option: --foo\n"},
        RefusedCase{{"oltp_read_write", "xrun"}, true, "", "Unknown command: xrun\n"},
        RefusedCase{{"oltp_read_write", "run", "extra"},
                    false,
                    "",
                    "Unrecognized command line argument: extra\n"},
        RefusedCase{{"-foo", "oltp_read_write", "run"},
                    false,
                    "",
                    "Unrecognized command line argument: run\n"},
        RefusedCase{{"--threads=abc", "oltp_read_write", "run"},
                    false,
                    "",
                    "Invalid value for the 'threads' option: 'abc'\n"},
        RefusedCase{{"--threads=99999999999", "oltp_read_write", "run"},
                    false,
                    "",
                    "Invalid value for the 'threads' option: '99999999999'\n"},
        RefusedCase{{"--rate=1.5", "oltp_read_write", "run"},
                    false,
                    "",
                    "Invalid value for the 'rate' option: '1.5'\n"},
        RefusedCase{{"--time=1s", "oltp_read_write", "run"},
                    false,
                    "",
                    "Invalid value for the 'time' option: '1s'\n"},
        RefusedCase{{"--percentile=95.5", "oltp_read_write", "run"},
                    false,
                    "",
                    "Invalid value for the 'percentile' option: '95.5'\n"},
        RefusedCase{{"--threads=0", "oltp_read_write", "run"},
                    false,
                    "FATAL: Invalid value for --threads: 0.\n\n",
                    ""},
        RefusedCase{{"--threads", "oltp_read_write", "run"},
                    false,
                    "FATAL: Invalid value for --threads: 0.\n\n",
                    ""},
        RefusedCase{{"--percentile=101", "oltp_read_write", "run"},
                    false,
                    "FATAL: Invalid value for --percentile: 101\n",
                    ""},
        RefusedCase{{"--percentile=0", "--histogram", "oltp_read_write", "run"},
                    false,
                    "FATAL: --histogram cannot be used with --percentile=0\n",
                    ""},
        RefusedCase{{"--rand-type=foo", "oltp_read_write", "run"},
                    false,
                    "FATAL: Invalid random numbers distribution: foo.\n",
                    ""},
        RefusedCase{{"--verbosity=9", "oltp_read_write", "run"},
                    false,
                    "Invalid value for verbosity: 9\n",
                    ""},
        RefusedCase{{"--report-checkpoints=a", "oltp_read_write", "run"},
                    false,
                    "FATAL: Invalid value for --report-checkpoints: 'a'\n",
                    ""},
        RefusedCase{{"--forced-shutdown=foo", "oltp_read_write", "run"},
                    false,
                    "FATAL: Invalid value for --forced-shutdown: 'foo'\n",
                    ""},
        RefusedCase{{"nosuch", "run"},
                    true,
                    "FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or "
                    "module\n",
                    ""},
        RefusedCase{{"run"},
                    true,
                    "FATAL: Cannot find benchmark 'run': no such built-in test, file or module\n",
                    ""},
        RefusedCase{{"oltp_read_write"},
                    true,
                    "FATAL: Command is required. Supported commands: prepare, create, load, "
                    "warmup, prewarm, run, cleanup, help\n",
                    ""},
        RefusedCase{{"--config-file=none.cfg", "oltp_insert", "run"},
                    false,
                    "",
                    "none.cfg: No such file or directory\n"},
        RefusedCase{{"--config-file=bad.cfg", "oltp_insert", "run"},
                    false,
                    "",
                    "bad.cfg:2: invalid option: thread=4\n"}));

TEST(ArgumentsTest, HelpAndVersionEndWell) {
  const SysbenchExit version = Refused({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, StartsWith("sysbench 1.0.20"));
  const SysbenchExit help = Refused({"--help", "--threads=2"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("  --report-checkpoints=[LIST,...] "));
  EXPECT_THAT(help.out, HasSubstr("  --histogram[=on|off] print a histogram of the latency [off]"));
  const SysbenchExit test_help = Refused({"oltp_insert", "help"});
  EXPECT_EQ(test_help.code, 0);
  EXPECT_THAT(test_help.out, HasSubstr("\n\noltp_insert options:\n  --auto_inc[=on|off] "));
}

TEST(ConfigFileTest, Lines) {
  const auto lines = ParseConfigFile("a=1\n\n  # nothing\n b = 'x # y' # z\r\nflag");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].name + "|" + lines[0].value, "a|1");
  EXPECT_EQ(lines[1].name + "|" + lines[1].value, "b|x # y");
  EXPECT_EQ(lines[1].number, 4);
  EXPECT_EQ(lines[2].name + "|" + lines[2].value, "flag|on");
}

}  // namespace
}  // namespace sysfleet
