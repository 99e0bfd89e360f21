// sysbench's own commands, driving our fleet: they end as sysbench's do, and what they print has
// the form of what the packaged sysbench prints for the same commands.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/end_to_end/scenario.h"

namespace sysfleet {
namespace {

using Arguments = std::vector<std::string>;

/// The text with every number as N, and without what may differ: which library is used, and how
/// wide a number is.
std::string Form(const std::string& text) {
  std::string form = std::regex_replace(text, std::regex("\\(using .*\\)"), "(using …)");
  form = std::regex_replace(form, std::regex("[0-9]+(\\.[0-9]+)?"), "N");
  return std::regex_replace(form, std::regex(" +"), " ");
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The value behind a label of a report: "transactions:"; -1 where there is none.
double Value(const std::string& text, const std::string& label) {
  std::smatch match;
  const std::regex pattern(label + "\\s+([0-9.]+)");
  return std::regex_search(text, match, pattern) ? std::stod(match[1]) : -1;
}

class SysbenchTest : public Scenario {
 protected:
  /// What comes later wins.
  Arguments With(const Arguments& arguments) const {
    Arguments all = server().SysbenchArgs();
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }

  static ProgramOutput Run(Arguments program, const Arguments& arguments) {
    program.insert(program.end(), arguments.begin(), arguments.end());
    auto output = RunProgram(program);
    EXPECT_TRUE(output.ok()) << output.status();
    return output.ok() ? *output : ProgramOutput{.exit_code = -1};
  }

  ProgramOutput Ours(const Arguments& arguments) const {
    return Run({CoordinatorProgram(), "sysbench"}, With(arguments));
  }
  ProgramOutput Theirs(const Arguments& arguments) const {
    return Run({"sysbench"}, With(arguments));
  }

  int TablesThere() {
    const std::string count =
        Ask("SELECT count(*) FROM information_schema.tables WHERE table_name LIKE 'sbtest%' AND "
            "table_type = 'BASE TABLE';");
    return count.empty() ? -1 : std::stoi(count);
  }

  void TearDown() override { Ours({"oltp_common", "cleanup", "--tables=4"}); }
};

/// What follows from the figures alone, whichever server they are of.
class SysbenchReportTest : public SysbenchTest {};

TEST_P(SysbenchTest, PreparesRunsAndCleansUpInTheSameForm) {
  // A line at the very end would be a matter of luck with sysbench.
  const Arguments options = {"oltp_read_write", "--table-size=1000", "--time=3", "--threads=2",
                             "--report-interval=2"};
  for (const std::string command : {"prepare", "run", "cleanup"}) {
    SCOPED_TRACE(command);
    Arguments arguments = options;
    arguments.push_back(command);
    // Alone it makes one table, whose lines can come in one order only.
    const ProgramOutput theirs = Theirs(arguments);
    EXPECT_EQ(theirs.exit_code, 0);
    if (command == "prepare") Theirs({"oltp_common", "cleanup"});
    if (command == "cleanup") Theirs({"oltp_common", "prepare"});
    const ProgramOutput ours = Ours(arguments);
    EXPECT_EQ(ours.exit_code, 0);
    EXPECT_EQ(ours.err, "");
    EXPECT_EQ(Form(ours.out), Form(theirs.out));
  }
  EXPECT_EQ(TablesThere(), 0);
}

struct FormCase {
  std::string name;
  Arguments arguments;
};

TEST_P(SysbenchReportTest, EveryKindHasTheSameForm) {
  Theirs({"oltp_common", "prepare", "--table-size=1000"});
  const std::vector<FormCase> cases = {
      {"events", {"--events=100", "--time=0", "--validate"}},
      {"no percentile", {"--time=3", "--percentile=0", "--report-interval=2"}},
      {"checkpoints", {"--time=3", "--report-checkpoints=1,2", "--threads=3", "--rand-seed=5"}},
      {"information", {"--time=1", "--verbosity=4", "--threads=3", "--percentile=99"}},
      {"rate", {"--time=3", "--rate=200", "--threads=3", "--report-interval=1"}},
      {"silent", {"--time=1", "--verbosity=1"}},
      {"old names", {"--max-time=1", "--num-threads=2"}},
  };
  for (const FormCase& c : cases) {
    SCOPED_TRACE(c.name);
    Arguments arguments = {"oltp_point_select", "run", "--table-size=1000"};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    const ProgramOutput theirs = Theirs(arguments);
    const ProgramOutput ours = Ours(arguments);
    EXPECT_EQ(ours.exit_code, theirs.exit_code);
    EXPECT_EQ(Form(ours.out), Form(theirs.out));
    EXPECT_EQ(ours.err, theirs.err);
  }
}

TEST_P(SysbenchReportTest, HistogramHasTheSameForm) {
  Theirs({"oltp_common", "prepare", "--table-size=1000"});
  const Arguments arguments = {"oltp_point_select", "run", "--table-size=1000", "--events=200",
                               "--histogram"};
  const std::regex bar("^ *[0-9]+\\.[0-9]{3} \\|[* ]{40} [0-9]+$");
  std::vector<std::string> forms;
  for (const ProgramOutput& output : {Ours(arguments), Theirs(arguments)}) {
    std::string rest;
    int bars = 0;
    for (const std::string& line : Lines(output.out)) {
      const bool is_bar = std::regex_match(line, bar);
      bars += is_bar ? 1 : 0;
      if (!is_bar) rest += line + "\n";
    }
    EXPECT_GT(bars, 1);
    forms.push_back(Form(rest));
  }
  EXPECT_EQ(forms[0], forms[1]);
}

TEST_P(SysbenchTest, MistakesAreToldTheSame) {
  for (const Arguments& arguments : std::vector<Arguments>{{"oltp_read_write", "--foo=1", "run"},
                                                           {"oltp_read_write", "run", "extra"},
                                                           {"oltp_read_write", "xrun"},
                                                           {"nosuch", "run"},
                                                           {"oltp_insert", "run", "--threads=0"},
                                                           {"oltp_insert", "run", "--time=x"}}) {
    const ProgramOutput ours = Ours(arguments);
    const ProgramOutput theirs = Theirs(arguments);
    SCOPED_TRACE(arguments[1]);
    EXPECT_EQ(ours.exit_code, theirs.exit_code);
    EXPECT_EQ(Form(ours.out), Form(theirs.out));
    EXPECT_EQ(ours.err, theirs.err);
  }
}

TEST_P(SysbenchTest, CountsAreThoseOfTheTransactionsAndAgreeWithEachOther) {
  StartAgents(2);
  const std::string agents = "--agents=" + fleet().addresses()[0] + "," + fleet().addresses()[1];
  ASSERT_EQ(Ours({"oltp_common", "prepare", "--table-size=1000", agents, "--threads=2"}).exit_code,
            0);
  const ProgramOutput run = Ours({"oltp_read_write", "run", "--table-size=1000", "--threads=2",
                                  "--events=100", "--time=0", "--mysql-ignore-errors=all", agents});
  ASSERT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(Value(run.out, "transactions:"), 100);
  EXPECT_EQ(Value(run.out, "total number of events:"), 100);
  // What is tried again adds to these.
  EXPECT_GE(Value(run.out, "read:"), 1400);
  EXPECT_GE(Value(run.out, "other:"), 200);
  EXPECT_EQ(Value(run.out, "read:") + Value(run.out, "write:") + Value(run.out, "other:"),
            Value(run.out, "total:"));
  EXPECT_EQ(Value(run.out, "events \\(avg/stddev\\):"), 50);
  EXPECT_LE(Value(run.out, "min:"), Value(run.out, "avg:"));
  EXPECT_LE(Value(run.out, "avg:"), Value(run.out, "max:"));
}

TEST_P(SysbenchTest, CreatesAndLoadsApart) {
  const Arguments tables = {"--tables=2", "--table-size=500"};
  const auto with = [&](const std::string& command) {
    Arguments arguments = tables;
    arguments.insert(arguments.end(), {"oltp_common", command});
    return Ours(arguments);
  };
  const ProgramOutput created = with("create");
  ASSERT_EQ(created.exit_code, 0) << created.out;
  EXPECT_EQ(Ask("SELECT count(*) FROM sbtest2;"), "0");
  const ProgramOutput loaded = with("load");
  ASSERT_EQ(loaded.exit_code, 0) << loaded.out;
  EXPECT_EQ(Ask("SELECT count(*) FROM sbtest2;"), "500");
  EXPECT_EQ(Form(created.out + loaded.out),
            "sysbench N.N (using …)\n\n"
            "Creating table 'sbtestN'...\nCreating table 'sbtestN'...\n"
            "sysbench N.N (using …)\n\n"
            "Inserting N records into 'sbtestN'\nInserting N records into 'sbtestN'\n"
            "Creating a secondary index on 'sbtestN'...\n"
            "Creating a secondary index on 'sbtestN'...\n");
}

TEST_P(SysbenchTest, WarmsUpMysqlOnly) {
  Theirs({"oltp_common", "prepare"});
  const ProgramOutput ours = Ours({"oltp_common", "prewarm"});
  if (is_postgresql()) {
    EXPECT_EQ(ours.exit_code, 1);
    EXPECT_EQ(Lines(ours.out).back(), "FATAL: prewarm is currently MySQL only");
  } else {
    EXPECT_EQ(ours.exit_code, 0);
    EXPECT_EQ(Form(ours.out), Form(Theirs({"oltp_common", "prewarm"}).out));
  }
}

TEST_P(SysbenchTest, PublishedCommandsRunAsTheyStand) {
  // Sizes, hosts and users aside.
  const Arguments tdstore = {"--auto_inc=off", "--mysql-ignore-errors=all", "--tables=4",
                             "--table-size=1000", "--report-interval=1"};
  const Arguments yugabytedb = {"--tables=4",
                                "--table_size=1000",
                                "--range_key_partitioning=false",
                                "--serial_cache_size=1000",
                                "--create_secondary=true",
                                "--warmup-time=1",
                                "--num_rows_in_insert=10",
                                "--point_selects=10",
                                "--index_updates=10",
                                "--non_index_updates=10",
                                "--range_selects=false",
                                "--thread-init-timeout=90"};
  const Arguments& options = is_postgresql() ? yugabytedb : tdstore;
  const Arguments tests =
      is_postgresql() ? Arguments{"oltp_read_only",    "oltp_read_write",       "oltp_multi_insert",
                                  "oltp_update_index", "oltp_update_non_index", "oltp_delete"}
                      : Arguments{"oltp_point_select",     "oltp_read_only",  "oltp_update_index",
                                  "oltp_update_non_index", "oltp_write_only", "oltp_read_write"};
  const auto run = [&](const std::string& test, const std::string& command) {
    Arguments arguments = {test, "--threads=4", command, "--time=1"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return Ours(arguments);
  };
  const ProgramOutput prepared =
      run(is_postgresql() ? "oltp_read_write" : "oltp_common", "prepare");
  ASSERT_EQ(prepared.exit_code, 0) << prepared.out << prepared.err;
  EXPECT_EQ(TablesThere(), 4);
  for (const std::string& test : tests) {
    const ProgramOutput output = run(test, "run");
    EXPECT_EQ(output.exit_code, 0) << test << output.out << output.err;
    EXPECT_GT(Value(output.out, "transactions:"), 0) << test;
  }
}

TEST_P(SysbenchTest, PrintedPlanRunsAsAPlan) {
  Theirs({"oltp_common", "prepare", "--table-size=1000"});
  const ProgramOutput printed =
      Ours({"oltp_point_select", "run", "--table-size=1000", "--events=50", "--time=0",
            "--print-plan", "--results-dir=" + results().string()});
  ASSERT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.out.find(server().password()), std::string::npos);
  const std::string path = folder() / "printed.yaml";
  std::ofstream(path) << printed.out;
  const ProgramOutput run = Coordinator("run", path, Set("database.password", server().password()));
  ASSERT_EQ(run.exit_code, 0) << run.out;
  EXPECT_EQ(Result().cells.at(0).total_transactions, 50u);
}

TEST_P(SysbenchTest, UnderItsNameItIsSysbench) {
  const std::filesystem::path link = folder() / "sysbench";
  std::filesystem::create_symlink(CoordinatorProgram(), link);
  const ProgramOutput version = Run({link.string()}, {"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("sysbench 1.0.20")) << version.out;
  EXPECT_EQ(Run({link.string()}, With({"oltp_insert", "cleanup"})).exit_code, 0);
}

TEST_P(SysbenchTest, FailuresHaveSysbenchsExitCodes) {
  const ProgramOutput missing = Ours({"oltp_read_write", "run", "--time=1"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(Lines(missing.out).back(), "FATAL: Thread initialization failed!");
  const ProgramOutput refused =
      Ours({"oltp_read_write", "prepare", is_postgresql() ? "--pgsql-db=none" : "--mysql-db=none"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.out.find("FATAL: "), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Families, SysbenchTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         FamilyName);
INSTANTIATE_TEST_SUITE_P(Families, SysbenchReportTest, testing::Values(ServerFamily::kMariadb),
                         FamilyName);

}  // namespace
}  // namespace sysfleet
