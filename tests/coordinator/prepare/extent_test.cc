// Preparing in two steps, and warming up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "coordinator/prepare/preparer.h"
#include "sysfleet/v1/agent.pb.h"
#include "tests/coordinator/prepare/fake_database.h"
#include "tests/coordinator/prepare/simulation.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ExtentTest : public testing::TestWithParam<Driver> {};

TEST_P(ExtentTest, TablesFirstAndRowsLater) {
  const Plan plan = SmallPlan(GetParam());
  FakeDatabase database;
  const auto create = MakePreparer(plan, ExistingData::kKeep, PrepareExtent::kTables);
  Drive(*create, database, {});
  ASSERT_TRUE(create->status().ok()) << Message(create->status());
  EXPECT_EQ(create->progress().phase, PreparePhase::kDone);
  EXPECT_THAT(create->progress().created_tables, ElementsAre(1, 2, 3));
  EXPECT_THAT(create->progress().indexed_tables, IsEmpty());
  EXPECT_EQ(create->progress().rows_loaded, 0);
  ASSERT_EQ(database.tables.size(), 3u);
  EXPECT_TRUE(database.tables.at("sbtest2").ids.empty());
  EXPECT_TRUE(database.tables.at("sbtest2").indexes.empty());

  const auto load = MakePreparer(plan, ExistingData::kKeep);
  Drive(*load, database, {});
  ASSERT_TRUE(load->status().ok()) << Message(load->status());
  EXPECT_THAT(load->progress().created_tables, IsEmpty());
  EXPECT_THAT(load->progress().loaded_tables, ElementsAre(1, 2, 3));
  EXPECT_THAT(load->progress().indexed_tables, ElementsAre(1, 2, 3));
  EXPECT_EQ(load->progress().rows_loaded, 300);
  EXPECT_EQ(database.tables_created, 3);
  EXPECT_EQ(database.tables.at("sbtest2").ids.size(), 100u);
}

INSTANTIATE_TEST_SUITE_P(Drivers, ExtentTest, testing::Values(Driver::kPostgresql, Driver::kMysql));

/// The statements of a script; told as done, with `answer` as their only row.
std::vector<std::string> Take(Preparer& preparer, const std::string& answer) {
  const auto task = preparer.NextTask();
  if (!task) return {};
  v1::TaskDone done;
  done.set_id(task->id());
  done.add_rows()->add_fields()->set_text(answer);
  preparer.OnTaskDone(done);
  return {task->script().sql().begin(), task->script().sql().end()};
}

TEST(WarmerTest, ReadsEveryTableAndItsIndex) {
  Plan plan = SmallPlan(Driver::kMysql);
  plan.dataset.tables = 2;
  const auto warmer = MakeWarmer(plan);
  EXPECT_THAT(Take(*warmer, "10.11.14-MariaDB"), ElementsAre("SELECT version()"));
  EXPECT_EQ(warmer->progress().phase, PreparePhase::kLoading);
  for (const std::string table : {"sbtest1", "sbtest2"}) {
    EXPECT_THAT(
        Take(*warmer, "1"),
        ElementsAre(
            "SET tmp_table_size=2*1024*1024*1024", "SET max_heap_table_size=2*1024*1024*1024",
            "ANALYZE TABLE " + table,
            "SELECT AVG(id) FROM (SELECT * FROM " + table + " FORCE KEY (PRIMARY) LIMIT 100) t",
            "SELECT COUNT(*) FROM (SELECT * FROM " + table + " WHERE k LIKE '%0%' LIMIT 100) t"));
    EXPECT_THAT(warmer->progress().loaded_tables, ElementsAre(1, 2));
  }
  EXPECT_FALSE(warmer->NextTask().has_value());
  EXPECT_TRUE(warmer->finished());
  EXPECT_EQ(warmer->progress().phase, PreparePhase::kDone);
}

}  // namespace
}  // namespace sysfleet
