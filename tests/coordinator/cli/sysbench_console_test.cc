// Which windows stand in which line, and which lines are left out.
#include "coordinator/cli/sysbench_console.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace sysfleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SysbenchCommand Command(const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& options) {
  SysbenchCommand command{.test = "oltp_point_select", .command = name};
  for (const auto& [option, value] : options) command.options.Set(option, value);
  return command;
}

Plan PlanOf(int warmup_seconds, int seconds, int64_t events) {
  Plan plan;
  plan.dataset.tables = 2;
  plan.run.threads = {4};
  plan.run.warmup_time = std::chrono::seconds(warmup_seconds);
  plan.run.time = std::chrono::seconds(seconds);
  plan.run.events = events;
  return plan;
}

/// Windows of so many point selects of 1 ms each.
void Feed(SysbenchConsole& console, const Plan& plan, const std::vector<uint64_t>& transactions) {
  for (size_t i = 0; i < transactions.size(); ++i) {
    WindowResult window;
    window.second = static_cast<int>(i);
    window.measured = window.second >= plan.run.warmup_time.count();
    window.transactions = window.reads = transactions[i];
    Histogram latency;
    for (uint64_t k = 0; k < transactions[i]; ++k) latency.Record(1'000'000);
    console.OnWindow({}, window, latency);
  }
}

/// "[ 2s ] thds: 4 tps: 15.00", one a line of intermediate figures.
std::vector<std::string> Intervals(const std::string& text) {
  std::vector<std::string> found;
  const std::regex pattern("\\[ [0-9]+s \\] thds: [0-9]+ tps: [0-9.]+");
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    found.push_back(it->str());
  }
  return found;
}

TEST(SysbenchConsoleTest, IntervalsAreMeansOfTheirSecondsWithoutTheWarmUp) {
  const Plan plan = PlanOf(1, 5, 0);
  const SysbenchCommand command = Command("run", {{"report-interval", "2"}});
  SysbenchConsole console(command, plan);
  testing::internal::CaptureStdout();
  Feed(console, plan, {1000, 10, 20, 30, 50, 70});
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_THAT(Intervals(text),
              ElementsAre("[ 2s ] thds: 4 tps: 15.00", "[ 4s ] thds: 4 tps: 40.00"));
  EXPECT_THAT(text, HasSubstr("Threads started!\n\nWarming up for 1 seconds...\n\n"));
  EXPECT_TRUE(console.started());
}

TEST(SysbenchConsoleTest, NoLineForTheSecondInWhichTheLimitOfEventsWasReached) {
  const Plan plan = PlanOf(0, 0, 100);
  const SysbenchCommand command = Command("run", {{"report-interval", "1"}});
  SysbenchConsole console(command, plan);
  testing::internal::CaptureStdout();
  Feed(console, plan, {60, 40});
  EXPECT_THAT(Intervals(testing::internal::GetCapturedStdout()),
              ElementsAre("[ 1s ] thds: 4 tps: 60.00"));
}

TEST(SysbenchConsoleTest, ACheckpointBeginsAnew) {
  const Plan plan = PlanOf(0, 3, 0);
  const SysbenchCommand command = Command("run", {{"report-checkpoints", "2,3"}});
  SysbenchConsole console(command, plan);
  testing::internal::CaptureStdout();
  Feed(console, plan, {10, 20, 40});
  CellResult cell;
  cell.threads = 4;
  cell.measured_seconds = 3;
  console.OnCellEnd({}, cell);
  const std::string text = testing::internal::GetCapturedStdout();
  const size_t end = text.find("SQL statistics:", text.find("SQL statistics:") + 1);
  ASSERT_NE(end, std::string::npos);
  EXPECT_THAT(text.substr(0, end), HasSubstr("[ 2s ] Checkpoint report:\nSQL statistics:\n"));
  EXPECT_THAT(text.substr(0, end), HasSubstr(" 30     (15.00 per sec.)"));
  EXPECT_THAT(text.substr(end), HasSubstr(" 40     (40.00 per sec.)"));
  EXPECT_THAT(text.substr(end), HasSubstr("total time:                          3.0000s\n"));
  EXPECT_EQ(text.find("[ 3s ] Checkpoint"), std::string::npos);
}

TEST(SysbenchConsoleTest, AfterAnInterruptionThereAreNoMoreLines) {
  const Plan plan = PlanOf(0, 9, 0);
  const SysbenchCommand command = Command("run", {{"report-interval", "1"}});
  SysbenchConsole console(command, plan);
  testing::internal::CaptureStdout();
  Feed(console, plan, {10});
  console.Interrupt();
  Feed(console, plan, {10, 5});
  EXPECT_THAT(Intervals(testing::internal::GetCapturedStdout()),
              ElementsAre("[ 1s ] thds: 4 tps: 10.00"));
}

TEST(SysbenchConsoleTest, TablesAreToldOnceInTheOrderOfThePhases) {
  const Plan plan = PlanOf(0, 1, 0);
  const SysbenchCommand command = Command("prepare", {});
  SysbenchConsole console(command, plan);
  testing::internal::CaptureStdout();
  PrepareProgress progress;
  console.OnPrepareProgress(progress, {});
  progress.created_tables = {2};
  progress.loaded_tables = {1, 2};
  progress.phase = PreparePhase::kLoading;
  console.OnPrepareProgress(progress, {});
  console.OnPrepareProgress(progress, {});
  progress.indexed_tables = {1};
  progress.phase = PreparePhase::kDone;
  console.OnPrepareProgress(progress, {});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "Creating table 'sbtest2'...\n"
            "Inserting 10000 records into 'sbtest1'\n"
            "Inserting 10000 records into 'sbtest2'\n"
            "Creating a secondary index on 'sbtest1'...\n");
}

TEST(SysbenchConsoleTest, IndexesMadeBeforeTheRowsAreToldBeforeThem) {
  Plan plan = PlanOf(0, 1, 0);
  plan.dataset.index = IndexTime::kBefore;
  const SysbenchCommand command = Command("prepare", {});
  SysbenchConsole console(command, plan);
  testing::internal::CaptureStdout();
  PrepareProgress progress;
  progress.created_tables = progress.loaded_tables = progress.indexed_tables = {1};
  progress.phase = PreparePhase::kDone;
  console.OnPrepareProgress(progress, {});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "Creating table 'sbtest1'...\n"
            "Creating a secondary index on 'sbtest1'...\n"
            "Inserting 10000 records into 'sbtest1'\n");
}

TEST(SysbenchConsoleTest, EmptyTablesAreNotFilled) {
  Plan plan = PlanOf(0, 1, 0);
  plan.dataset.table_size = 0;
  const SysbenchCommand command = Command("prepare", {});
  SysbenchConsole console(command, plan);
  testing::internal::CaptureStdout();
  PrepareProgress progress;
  progress.created_tables = progress.loaded_tables = {1};
  progress.phase = PreparePhase::kDone;
  console.OnPrepareProgress(progress, {});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "Creating table 'sbtest1'...\n");
}

TEST(SysbenchConsoleTest, LowVerbosityIsSilent) {
  const Plan plan = PlanOf(0, 1, 0);
  const SysbenchCommand command = Command("run", {{"verbosity", "2"}, {"report-interval", "1"}});
  SysbenchConsole console(command, plan);
  testing::internal::CaptureStdout();
  console.Begin();
  Feed(console, plan, {10});
  console.OnCellEnd({}, {});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace sysfleet
