#include "coordinator/prepare/preparer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "common/base/status.h"
#include "coordinator/prepare/spec.h"
#include "coordinator/workload/dialect.h"
#include "sysfleet/v1/agent.pb.h"
#include "tests/coordinator/prepare/fake_database.h"
#include "tests/coordinator/prepare/simulation.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Fault = FakeDatabase::Fault;

// 100 rows in chunks of 7.
constexpr int kChunksPerTable = 15;

void ExpectComplete(const FakeDatabase& database, const Plan& plan) {
  for (int number = 1; number <= plan.dataset.tables; ++number) {
    const std::string name = TableName(number);
    ASSERT_TRUE(database.tables.contains(name)) << name;
    const FakeTable& table = database.tables.at(name);
    EXPECT_EQ(table.ids.size(), static_cast<size_t>(plan.dataset.table_size));
    EXPECT_EQ(*table.ids.begin(), 1);
    EXPECT_EQ(*table.ids.rbegin(), plan.dataset.table_size);
    EXPECT_EQ(table.indexes.size(), plan.dataset.create_secondary ? 1u : 0u);
    EXPECT_EQ(table.counter, plan.dataset.auto_inc ? plan.dataset.table_size : 0);
    EXPECT_EQ(table.auto_inc, plan.dataset.auto_inc);
    EXPECT_EQ(table.sequence_cached, plan.dataset.serial_cache_size > 0);
    EXPECT_EQ(database.records.at(name), (FakeDatabase::Record{SpecOf(plan), "complete"}));
  }
}

Course Prepare(const Plan& plan, FakeDatabase& database, const Fleet& fleet) {
  const auto preparer = MakePreparer(plan, ExistingData::kKeep);
  Course course = Drive(*preparer, database, fleet);
  EXPECT_TRUE(preparer->status().ok()) << Message(preparer->status());
  EXPECT_EQ(preparer->progress().phase, PreparePhase::kDone);
  return course;
}

struct LoadCase {
  Driver driver;
  int tables;
  int64_t table_size;
  int64_t chunk_rows;
  int connections;
  bool auto_inc;
  bool create_secondary;
  int chunks;
};

TEST(PreparerTest, LoadsEveryChunkOnceInTheRightOrder) {
  const LoadCase cases[] = {
      {Driver::kPostgresql, 1, 1, 10'000, 1, true, true, 1},
      {Driver::kPostgresql, 3, 100, 7, 1, true, true, 45},
      {Driver::kPostgresql, 3, 100, 7, 50, true, false, 45},
      {Driver::kPostgresql, 12, 10, 10, 8, false, true, 12},
      {Driver::kMysql, 3, 100, 100, 4, true, true, 3},
      {Driver::kMysql, 5, 101, 10, 16, false, false, 55},
  };
  for (const LoadCase& c : cases) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(testing::Message() << c.tables << " tables, seed " << seed);
      Plan plan = SmallPlan(c.driver);
      plan.dataset.tables = c.tables;
      plan.dataset.table_size = c.table_size;
      plan.dataset.auto_inc = c.auto_inc;
      plan.dataset.create_secondary = c.create_secondary;
      plan.load.chunk_rows = c.chunk_rows;
      FakeDatabase database;
      const auto preparer = MakePreparer(plan, ExistingData::kKeep);
      const Course course =
          Drive(*preparer, database, {.connections = c.connections, .seed = seed, .fault = {}});
      ASSERT_TRUE(preparer->status().ok()) << Message(preparer->status());
      ExpectComplete(database, plan);
      EXPECT_EQ(database.chunks_loaded, c.chunks);
      EXPECT_TRUE(database.chunks.empty());
      EXPECT_EQ(database.tables_created, c.tables);
      EXPECT_LE(course.creations_in_flight_max, 4);
      const PrepareProgress progress = preparer->progress();
      EXPECT_EQ(progress.rows_loaded, c.tables * c.table_size);
      EXPECT_EQ(progress.rows_total, c.tables * c.table_size);
      EXPECT_EQ(progress.rows_present, 0);
      EXPECT_EQ(progress.tables_indexed, c.create_secondary ? c.tables : 0);
    }
  }
}

TEST(PreparerTest, GoesThroughItsPhasesInOrder) {
  FakeDatabase database;
  const Course course = Prepare(SmallPlan(Driver::kPostgresql), database, {});
  EXPECT_THAT(course.phases, ElementsAre(PreparePhase::kInspecting, PreparePhase::kCreating,
                                         PreparePhase::kLoading, PreparePhase::kIndexing,
                                         PreparePhase::kVerifying));
}

TEST(PreparerTest, TakesTheTablesInTurn) {
  FakeDatabase database;
  const auto preparer = MakePreparer(SmallPlan(Driver::kPostgresql), ExistingData::kKeep);
  std::vector<std::string> order;
  Drive(*preparer, database,
        {.connections = 1, .seed = 1, .fault = [&](const v1::Task& task, Random&) {
           if (task.has_chunk()) order.push_back(task.chunk().table().table());
           return Fault::kNone;
         }});
  ASSERT_EQ(order.size(), 45u);
  for (size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(order[i], TableName(static_cast<int>(i % 3) + 1));
  }
}

// Breaks off about every third task, but none more often than it may be tried again.
class Faults {
 public:
  Fault operator()(v1::Task task, Random& random) {
    const auto kind = static_cast<Fault>(random.Uniform(0, 11));
    if (kind > Fault::kLostAfter) return Fault::kNone;
    const bool is_index =
        task.script().sql_size() == 1 && task.script().sql(0).starts_with("CREATE INDEX");
    // Whether an index was made cannot be known once the connection is lost.
    if (is_index && kind > Fault::kAborted) return Fault::kNone;
    task.clear_id();
    return ++counts_[task.SerializeAsString()] <= 4 ? kind : Fault::kNone;
  }

 private:
  std::map<std::string, int> counts_;
};

TEST(PreparerTest, TriesAgainAfterFaultsAndEndsWithTheSame) {
  for (const Driver driver : {Driver::kPostgresql, Driver::kMysql}) {
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      SCOPED_TRACE(seed);
      Plan plan = SmallPlan(driver);
      plan.dataset.serial_cache_size = driver == Driver::kPostgresql ? 1000 : 0;
      FakeDatabase database;
      Prepare(plan, database, {.connections = 6, .seed = seed, .fault = Faults()});
      ExpectComplete(database, plan);
      EXPECT_EQ(database.chunks_loaded, 3 * kChunksPerTable);
    }
  }
}

// However far the first attempt came, a second one completes the work and repeats no chunk.
TEST(PreparerTest, GoesOnAfterACutAtAnyStep) {
  for (const Driver driver : {Driver::kPostgresql, Driver::kMysql}) {
    Plan plan = SmallPlan(driver);
    plan.dataset.serial_cache_size = driver == Driver::kPostgresql ? 1000 : 0;
    int64_t cuts = 0;
    for (bool cut = true; cut; ++cuts) {
      SCOPED_TRACE(cuts);
      FakeDatabase database;
      database.CutAfter(cuts);
      const auto first = MakePreparer(plan, ExistingData::kKeep);
      Drive(*first, database, {.connections = 5, .seed = static_cast<uint64_t>(cuts), .fault = {}});
      cut = !first->status().ok();
      database.Restore();
      const auto second = MakePreparer(plan, ExistingData::kKeep);
      Drive(*second, database, {.connections = 3, .seed = 1, .fault = {}});
      ASSERT_TRUE(second->status().ok()) << Message(second->status());
      ExpectComplete(database, plan);
      EXPECT_EQ(database.chunks_loaded, 3 * kChunksPerTable);
      EXPECT_EQ(first->progress().rows_loaded + second->progress().rows_loaded, 300);
      EXPECT_EQ(second->progress().rows_present, first->progress().rows_loaded);
    }
    EXPECT_GT(cuts, 3 * kChunksPerTable);
  }
}

TEST(PreparerTest, MakesIndexesWithTheTablesWherePlanned) {
  Plan plan = SmallPlan(Driver::kPostgresql);
  plan.dataset.index = IndexTime::kBefore;
  int64_t cuts = 0;
  for (bool cut = true; cut; ++cuts) {
    SCOPED_TRACE(cuts);
    FakeDatabase database;
    database.index_before_rows = true;
    database.CutAfter(cuts);
    const auto first = MakePreparer(plan, ExistingData::kKeep);
    Drive(*first, database, {.connections = 5, .seed = static_cast<uint64_t>(cuts), .fault = {}});
    cut = !first->status().ok();
    database.Restore();
    const auto second = MakePreparer(plan, ExistingData::kKeep);
    Drive(*second, database, {.connections = 3, .seed = 1, .fault = {}});
    ASSERT_TRUE(second->status().ok()) << Message(second->status());
    ExpectComplete(database, plan);
    if (!cut) {
      EXPECT_EQ(first->progress().tables_indexed, 3);
    }
  }
  EXPECT_GT(cuts, 3 * kChunksPerTable);
}

TEST(PreparerTest, GoesOnWithOtherChunks) {
  Plan plan = SmallPlan(Driver::kPostgresql);
  FakeDatabase database;
  database.CutAfter(40);
  Drive(*MakePreparer(plan, ExistingData::kKeep), database, {});
  ASSERT_GT(database.chunks_loaded, 0);
  database.Restore();
  plan.load.chunk_rows = 11;
  Prepare(plan, database, {});
  ExpectComplete(database, plan);
}

TEST(PreparerTest, StopsAtAFailureOnceWhatIsUnderWayHasEnded) {
  FakeDatabase database;
  const auto preparer = MakePreparer(SmallPlan(Driver::kPostgresql), ExistingData::kKeep);
  std::vector<v1::Task> chunks;
  while (chunks.size() < 3) {
    const std::optional<v1::Task> task = preparer->NextTask();
    ASSERT_TRUE(task.has_value());
    if (task->has_chunk()) {
      chunks.push_back(*task);
    } else {
      preparer->OnTaskDone(database.Execute(*task));
    }
  }
  v1::TaskDone failed;
  failed.set_id(chunks[1].id());
  failed.mutable_error()->set_code(static_cast<int>(absl::StatusCode::kResourceExhausted));
  failed.mutable_error()->set_message("db-1:5432: COPY sbtest2: 53100: disk is full");
  preparer->OnTaskDone(failed);
  EXPECT_FALSE(preparer->NextTask().has_value());
  EXPECT_FALSE(preparer->finished());
  preparer->OnTaskDone(database.Execute(chunks[0]));
  EXPECT_FALSE(preparer->finished());
  preparer->OnTaskDone(database.Execute(chunks[2]));
  EXPECT_TRUE(preparer->finished());
  EXPECT_EQ(Message(preparer->status()),
            "sbtest2 rows 1 to 7: db-1:5432: COPY sbtest2: 53100: disk is full");
  EXPECT_TRUE(absl::IsResourceExhausted(preparer->status()));
}

TEST(PreparerTest, GivesUpAfterSixAttempts) {
  FakeDatabase database;
  const auto preparer = MakePreparer(SmallPlan(Driver::kMysql), ExistingData::kKeep);
  int attempts = 0;
  Drive(*preparer, database,
        {.connections = 1, .seed = 1, .fault = [&](const v1::Task& task, Random&) {
           if (!task.has_chunk() || task.chunk().table().table() != "sbtest3") return Fault::kNone;
           if (task.chunk().first_row() != 8) return Fault::kNone;
           ++attempts;
           return Fault::kAborted;
         }});
  EXPECT_EQ(attempts, 6);
  EXPECT_EQ(Message(preparer->status()), "sbtest3 rows 8 to 14: 40001 try again (tried 6 times)");
}

TEST(PreparerTest, TakesAChunkAsDoneOnlyWhereItIsRecorded) {
  for (const bool recorded : {true, false}) {
    SCOPED_TRACE(recorded);
    FakeDatabase database;
    const auto preparer = MakePreparer(SmallPlan(Driver::kPostgresql), ExistingData::kKeep);
    bool lost = false;
    Drive(*preparer, database,
          {.connections = 2, .seed = 1, .fault = [&](const v1::Task& task, Random&) {
             if (lost || !task.has_chunk()) return Fault::kNone;
             lost = true;
             if (recorded) return Fault::kLostAfter;
             database.tables.at(task.chunk().table().table()).ids.insert(task.chunk().first_row());
             return Fault::kNone;
           }});
    if (recorded) {
      EXPECT_TRUE(preparer->status().ok()) << Message(preparer->status());
      EXPECT_EQ(preparer->progress().rows_loaded, 300);
    } else {
      EXPECT_THAT(Message(preparer->status()), HasSubstr(": 23505 id exists"));
    }
  }
}

TEST(PreparerTest, FindsThatRowsAreMissingAtTheEnd) {
  FakeDatabase database;
  const auto preparer = MakePreparer(SmallPlan(Driver::kPostgresql), ExistingData::kKeep);
  Drive(*preparer, database,
        {.connections = 1, .seed = 1, .fault = [&](const v1::Task& task, Random&) {
           const bool index = task.script().sql_size() == 1 &&
                              task.script().sql(0) == "CREATE INDEX k_2 ON sbtest2(k)";
           if (index) database.tables.at("sbtest2").ids.erase(50);
           return Fault::kNone;
         }});
  EXPECT_EQ(Message(preparer->status()),
            "sbtest2: has 99 rows after loading, and 100 were loaded; --recreate drops and loads "
            "it again");
  EXPECT_EQ(database.records.at("sbtest2").state, "loading");
}

TEST(PreparerTest, TellsTheVersion) {
  const std::pair<const char*, Driver> postgresql("PostgreSQL 15.18", Driver::kPostgresql);
  FakeDatabase database;
  const auto preparer = MakePreparer(SmallPlan(postgresql.second), ExistingData::kKeep);
  EXPECT_EQ(preparer->server_version(), "");
  Drive(*preparer, database, {});
  EXPECT_EQ(preparer->server_version(), postgresql.first);
}

TEST(PreparerTest, RefusesRangePartitioningWhereItDoesNotExist) {
  Plan plan = SmallPlan(Driver::kPostgresql);
  plan.database.flavor = Flavor::kYugabytedb;
  plan.dataset.range_key_partitioning = true;
  FakeDatabase postgresql;
  const auto refused = MakePreparer(plan, ExistingData::kKeep);
  Drive(*refused, postgresql, {});
  EXPECT_THAT(Message(refused->status()), HasSubstr("needs YugabyteDB, and the server is "
                                                    "PostgreSQL 15.18"));
  EXPECT_TRUE(postgresql.tables.empty());

  FakeDatabase yugabyte("PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64");
  const auto loaded = MakePreparer(plan, ExistingData::kKeep);
  Drive(*loaded, yugabyte, {});
  EXPECT_TRUE(loaded->status().ok()) << Message(loaded->status());
}

}  // namespace
}  // namespace sysfleet
