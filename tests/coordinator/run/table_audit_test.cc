#include "coordinator/run/table_audit.h"

#include <gtest/gtest.h>

#include "coordinator/result/audit.h"

namespace sysfleet {
namespace {

struct Case {
  const char* name;
  TableChanges changes;
  TableCount after;
  bool agrees;
  bool compares_k;
};

// Before: 100 rows, the sum of their k 5000.
const Case kCases[] = {
    {"nothing happened", {}, {100, 5000}, true, true},
    {"somebody else raised k", {}, {100, 5001}, false, true},
    {"all updates are there", {.increments = 7}, {100, 5007}, true, true},
    {"one update is lost", {.increments = 7}, {100, 5006}, false, true},
    {"one update is doubled", {.increments = 7}, {100, 5008}, false, true},
    {"unknown: it is not there",
     {.increments = 7, .increments_unknown = 1},
     {100, 5007},
     true,
     true},
    {"unknown: it is there", {.increments = 7, .increments_unknown = 1}, {100, 5008}, true, true},
    {"unknown: more are there",
     {.increments = 7, .increments_unknown = 1},
     {100, 5009},
     false,
     true},
    {"unknown: one is lost", {.increments = 7, .increments_unknown = 1}, {100, 5006}, false, true},
    {"rows came and went", {.inserted = 5, .deleted = 3}, {102, 9999}, true, false},
    {"a row is lost", {.inserted = 5, .deleted = 3}, {101, 9999}, false, false},
    {"an unknown deletion", {.deleted = 3, .deleted_unknown = 2}, {95, 1}, true, false},
    {"more than unknown deletions", {.deleted = 3, .deleted_unknown = 2}, {94, 1}, false, false},
    {"an unknown insertion", {.inserted_unknown = 1}, {101, 1}, true, false},
    {"a row vanished", {.increments = 7}, {99, 5007}, false, true},
};

TEST(TableAuditTest, Cases) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    const TableAudit audit = AuditTable("sbtest1", {100, 5000}, one.after, one.changes);
    EXPECT_EQ(audit.agrees(), one.agrees);
    EXPECT_EQ(audit.k_sum.has_value(), one.compares_k);
  }
}

TEST(TableAuditTest, UnknownChangesMayComeLater) {
  EXPECT_FALSE(HasUnknownChanges({}));
  const TableChanges known[] = {{}, {.increments = 1, .inserted = 1, .deleted = 1}};
  EXPECT_FALSE(HasUnknownChanges(known));
  const TableChanges unknown[] = {{}, {.deleted_unknown = 1}};
  EXPECT_TRUE(HasUnknownChanges(unknown));
}

TEST(TableAuditTest, TellsTheFirstTableThatDisagrees) {
  AuditResult audit;
  audit.tables.push_back(AuditTable("sbtest1", {100, 5000}, {100, 6234}, {.increments = 1234}));
  EXPECT_EQ(Describe(audit),
            "1 table holds what was confirmed: 0 rows inserted, 0 deleted, k raised 1,234 times");
  audit.tables.push_back(
      AuditTable("sbtest2", {100, 5000}, {100, 9}, {.inserted = 2, .deleted = 2}));
  EXPECT_EQ(Describe(audit),
            "2 tables hold what was confirmed: 2 rows inserted, 2 deleted, k raised 1,234 times "
            "(not comparable where rows come and go)");
  audit.tables.push_back(
      AuditTable("sbtest3", {100, 5000}, {100, 5006}, {.increments = 7, .increments_unknown = 2}));
  audit.tables.push_back(AuditTable("sbtest4", {100, 5000}, {99, 5000}, {}));
  EXPECT_FALSE(audit.agrees());
  EXPECT_EQ(
      Describe(audit),
      "sbtest3: the sum of k is 5,006; from 5,000, confirmed changes lead to between 5,007 and "
      "5,009; 1 table more");
}

}  // namespace
}  // namespace sysfleet
