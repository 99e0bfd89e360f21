#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "common/base/status.h"
#include "coordinator/prepare/preparer.h"
#include "tests/coordinator/prepare/fake_database.h"
#include "tests/coordinator/prepare/simulation.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;

FakeDatabase Loaded(const Plan& plan) {
  FakeDatabase database;
  const auto preparer = MakePreparer(plan, ExistingData::kKeep);
  Drive(*preparer, database, {});
  EXPECT_TRUE(preparer->status().ok()) << Message(preparer->status());
  return database;
}

TEST(ExistingDataTest, WhatIsAsPlannedIsUsedAsItIs) {
  const Plan plan = SmallPlan(Driver::kPostgresql);
  FakeDatabase database = Loaded(plan);
  const auto tables = database.tables;
  const auto preparer = MakePreparer(plan, ExistingData::kKeep);
  Drive(*preparer, database, {});
  EXPECT_TRUE(preparer->status().ok()) << Message(preparer->status());
  EXPECT_EQ(database.tables, tables);
  EXPECT_EQ(database.tables_created, 3);
  EXPECT_EQ(preparer->progress().rows_present, 300);
  EXPECT_EQ(preparer->progress().rows_loaded, 0);
  EXPECT_THAT(preparer->notes(), ElementsAre("sbtest1 to sbtest3: loaded before, as planned"));
}

TEST(ExistingDataTest, SomebodyElsesTablesAreNotLookedAt) {
  Plan plan = SmallPlan(Driver::kPostgresql);
  plan.dataset.existing = true;
  FakeDatabase database;
  const auto preparer = MakeExistingPreparer(plan);
  Drive(*preparer, database, {});
  EXPECT_TRUE(preparer->status().ok()) << Message(preparer->status());
  EXPECT_TRUE(preparer->finished());
  EXPECT_EQ(preparer->progress().phase, PreparePhase::kDone);
  EXPECT_FALSE(preparer->server_version().empty());
  EXPECT_TRUE(database.tables.empty());
  EXPECT_THAT(preparer->notes(),
              ElementsAre("sbtest1 to sbtest3: taken as existing, not looked at"));
}

TEST(ExistingDataTest, RowsThatARunAddedOrTookDoNotMatter) {
  const Plan plan = SmallPlan(Driver::kPostgresql);
  FakeDatabase database = Loaded(plan);
  database.tables.at("sbtest1").ids.insert(101);
  database.tables.at("sbtest2").ids.erase(7);
  const auto preparer = MakePreparer(plan, ExistingData::kKeep);
  Drive(*preparer, database, {});
  EXPECT_TRUE(preparer->status().ok()) << Message(preparer->status());
}

TEST(ExistingDataTest, ATableThatIsGoneIsLoadedAgain) {
  const Plan plan = SmallPlan(Driver::kMysql);
  FakeDatabase database = Loaded(plan);
  database.tables.erase("sbtest2");
  const auto preparer = MakePreparer(plan, ExistingData::kKeep);
  Drive(*preparer, database, {});
  EXPECT_TRUE(preparer->status().ok()) << Message(preparer->status());
  EXPECT_EQ(database.tables.at("sbtest2").ids.size(), 100u);
  EXPECT_THAT(preparer->notes(), ElementsAre("sbtest1: loaded before, as planned", "sbtest2: new",
                                             "sbtest3: loaded before, as planned"));
}

Plan BulkPlan() {
  Plan plan = SmallPlan(Driver::kPostgresql);
  plan.dataset.schema = DatasetSchema::kBulkInsert;
  plan.dataset.table_size = 0;
  plan.dataset.auto_inc = false;
  plan.dataset.create_secondary = false;
  return plan;
}

TEST(ExistingDataTest, TablesToInsertIntoAreMadeNewEveryTime) {
  FakeDatabase database = Loaded(BulkPlan());
  EXPECT_EQ(database.tables.at("sbtest3").columns, (std::vector<std::string>{"id", "k"}));
  database.tables.at("sbtest1").ids = {1, 2, 3};
  const auto preparer = MakePreparer(BulkPlan(), ExistingData::kKeep);
  Drive(*preparer, database, {});
  EXPECT_TRUE(preparer->status().ok()) << Message(preparer->status());
  EXPECT_TRUE(database.tables.at("sbtest1").ids.empty());
  EXPECT_EQ(database.tables_created, 6);
  EXPECT_THAT(preparer->notes(), ElementsAre("sbtest1 to sbtest3: dropped and made new"));
}

TEST(ExistingDataTest, TablesWithRowsAreNotTakenForThoseToInsertInto) {
  FakeDatabase database = Loaded(SmallPlan(Driver::kPostgresql));
  const auto preparer = MakePreparer(BulkPlan(), ExistingData::kKeep);
  Drive(*preparer, database, {});
  EXPECT_EQ(Message(preparer->status()),
            "sbtest1 differs: schema is \"sbtest\", the plan wants \"bulk_insert\" (2 tables more "
            "differ); --recreate drops and loads it again");
  EXPECT_EQ(database.tables.at("sbtest1").ids.size(), 100U);
}

TEST(ExistingDataTest, MoreTablesArePlannedThanBefore) {
  Plan plan = SmallPlan(Driver::kPostgresql);
  FakeDatabase database = Loaded(plan);
  plan.dataset.tables = 5;
  const auto preparer = MakePreparer(plan, ExistingData::kKeep);
  Drive(*preparer, database, {});
  EXPECT_TRUE(preparer->status().ok()) << Message(preparer->status());
  EXPECT_THAT(preparer->notes(), ElementsAre("sbtest1 to sbtest3: loaded before, as planned",
                                             "sbtest4 to sbtest5: new"));
}

TEST(ExistingDataTest, WhatSomebodyElseLoadedIsAdoptedWhereItFits) {
  const Plan plan = SmallPlan(Driver::kPostgresql);
  FakeDatabase database;
  for (const char* name : {"sbtest1", "sbtest2", "sbtest3"}) {
    database.AddTable(name, 100, /*auto_inc=*/true, /*secondary=*/true);
  }
  const auto tables = database.tables;
  const auto preparer = MakePreparer(plan, ExistingData::kKeep);
  Drive(*preparer, database, {});
  EXPECT_TRUE(preparer->status().ok()) << Message(preparer->status());
  EXPECT_EQ(database.tables, tables);
  EXPECT_THAT(preparer->notes(),
              ElementsAre("sbtest1 to sbtest3: not loaded by sysfleet, but with the planned 100 "
                          "rows; used as it is"));

  // Once adopted, what a run adds does not matter any more, nor does a seed that never was used.
  database.tables.at("sbtest1").ids.insert(101);
  Plan other_seed = plan;
  other_seed.dataset.seed = 77;
  const auto again = MakePreparer(other_seed, ExistingData::kKeep);
  Drive(*again, database, {});
  EXPECT_TRUE(again->status().ok()) << Message(again->status());
  EXPECT_THAT(again->notes(), ElementsAre("sbtest1 to sbtest3: loaded before, as planned"));

  Plan larger = plan;
  larger.dataset.table_size = 200;
  const auto refused = MakePreparer(larger, ExistingData::kKeep);
  Drive(*refused, database, {});
  EXPECT_EQ(Message(refused->status()),
            "sbtest1 differs: table_size is 100, the plan wants 200 (2 tables more differ); "
            "--recreate drops and loads it again");
}

struct MismatchCase {
  const char* name;
  std::function<void(Plan&)> change_plan;
  std::function<void(FakeDatabase&)> change_database;
  const char* message;
};

constexpr const char* kHint = "; --recreate drops and loads it again";

// Each changes the plan or the database after a complete load of 3 tables.
const MismatchCase kMismatches[] = {
    {"another size",
     [](Plan& plan) { plan.dataset.table_size = 2000; },
     {},
     "sbtest1 differs: table_size is 100, the plan wants 2000 (2 tables more differ)"},
    {"another seed and counter",
     [](Plan& plan) {
       plan.dataset.seed = 2;
       plan.dataset.auto_inc = false;
     },
     {},
     "sbtest1 differs: auto_inc is true, the plan wants false; seed is 1, the plan wants 2 (2 "
     "tables more differ)"},
    {"index dropped",
     {},
     [](FakeDatabase& database) { database.tables.at("sbtest3").indexes.clear(); },
     "sbtest3 has no index k_3, the plan wants create_secondary: true"},
    {"other columns",
     {},
     [](FakeDatabase& database) {
       database.tables.at("sbtest2").columns = {"id", "xid"};
     },
     "sbtest2 has the columns id, xid, the plan wants id, k, c, pad"},
    {"damaged record",
     {},
     [](FakeDatabase& database) { database.records.at("sbtest2").spec = "?"; },
     "sbtest2 differs: its record cannot be read: ?"},
    {"other rows without a record",
     {},
     [](FakeDatabase& database) {
       database.records.erase("sbtest3");
       database.tables.at("sbtest3").ids.erase(5);
     },
     "sbtest3 has 99 rows, the plan wants 100, and sysfleet did not load it"},
    {"other ids without a record",
     {},
     [](FakeDatabase& database) {
       database.records.erase("sbtest3");
       database.tables.at("sbtest3").ids.erase(100);
       database.tables.at("sbtest3").ids.insert(2000);
     },
     "sbtest3 has ids from 1 to 2,000, the plan wants 1 to 100, and sysfleet did not load it"},
    {"empty without a record",
     {},
     [](FakeDatabase& database) {
       database.records.erase("sbtest2");
       database.tables.at("sbtest2").ids.clear();
     },
     "sbtest2 has 0 rows, the plan wants 100, and sysfleet did not load it"},
    {"no counter, no record",
     {},
     [](FakeDatabase& database) {
       database.records.erase("sbtest1");
       database.tables.at("sbtest1").auto_inc = false;
     },
     "sbtest1 does not number its rows by itself, the plan wants auto_inc: true"},
    {"no index, no record",
     {},
     [](FakeDatabase& database) {
       database.records.erase("sbtest1");
       database.tables.at("sbtest1").indexes.clear();
     },
     "sbtest1 has no index k_1, the plan wants create_secondary: true"},
    {"rows where only the creation was begun",
     {},
     [](FakeDatabase& database) { database.records.at("sbtest1").state = "creating"; },
     "sbtest1 has 100 rows that sysfleet did not load"},
};

TEST(ExistingDataTest, WhatDiffersIsNeverTouched) {
  for (const MismatchCase& c : kMismatches) {
    SCOPED_TRACE(c.name);
    Plan plan = SmallPlan(Driver::kPostgresql);
    FakeDatabase database = Loaded(plan);
    if (c.change_plan) c.change_plan(plan);
    if (c.change_database) c.change_database(database);
    const auto tables = database.tables;
    const auto records = database.records;
    const auto preparer = MakePreparer(plan, ExistingData::kKeep);
    Drive(*preparer, database, {});
    EXPECT_TRUE(absl::IsFailedPrecondition(preparer->status()));
    EXPECT_EQ(Message(preparer->status()), std::string(c.message) + kHint);
    EXPECT_EQ(database.tables, tables);
    EXPECT_EQ(database.records, records);
  }
}

TEST(ExistingDataTest, RecreatingLoadsWhateverWasThere) {
  for (const MismatchCase& c : kMismatches) {
    SCOPED_TRACE(c.name);
    Plan plan = SmallPlan(Driver::kPostgresql);
    FakeDatabase database = Loaded(plan);
    if (c.change_plan) c.change_plan(plan);
    if (c.change_database) c.change_database(database);
    const auto recreate = MakePreparer(plan, ExistingData::kRecreate);
    Drive(*recreate, database, {});
    ASSERT_TRUE(recreate->status().ok()) << Message(recreate->status());
    EXPECT_THAT(recreate->notes(), ElementsAre("sbtest1 to sbtest3: dropped and made new"));
    EXPECT_EQ(recreate->progress().rows_loaded, 3 * plan.dataset.table_size);
    EXPECT_EQ(database.tables, Loaded(plan).tables);
    EXPECT_EQ(database.records, Loaded(plan).records);
  }
}

TEST(ExistingDataTest, CleaningLeavesNothing) {
  const Plan plan = SmallPlan(Driver::kMysql);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    FakeDatabase database = Loaded(plan);
    database.tables.erase("sbtest3");
    const auto cleaner = MakeCleaner(plan);
    Drive(*cleaner, database, {.connections = 3, .seed = seed, .fault = {}});
    ASSERT_TRUE(cleaner->status().ok()) << Message(cleaner->status());
    EXPECT_TRUE(database.tables.empty());
    EXPECT_TRUE(database.records.empty());
    EXPECT_FALSE(database.records_exist);
    EXPECT_EQ(cleaner->progress().phase, PreparePhase::kDone);
    EXPECT_THAT(cleaner->notes(),
                ElementsAre("sbtest1 to sbtest2: dropped", "sbtest3: was not there"));
  }
}

TEST(ExistingDataTest, CleaningKeepsTablesBeyondThePlan) {
  Plan plan = SmallPlan(Driver::kPostgresql);
  FakeDatabase database = Loaded(plan);
  plan.dataset.tables = 2;
  const auto cleaner = MakeCleaner(plan);
  Drive(*cleaner, database, {});
  ASSERT_TRUE(cleaner->status().ok()) << Message(cleaner->status());
  EXPECT_EQ(database.tables.size(), 1u);
  EXPECT_TRUE(database.tables.contains("sbtest3"));
  EXPECT_TRUE(database.records.contains("sbtest3"));
  EXPECT_TRUE(database.records_exist);
}

}  // namespace
}  // namespace sysfleet
