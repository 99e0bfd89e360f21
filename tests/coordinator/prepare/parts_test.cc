#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "coordinator/prepare/row_ranges.h"
#include "coordinator/prepare/spec.h"
#include "coordinator/prepare/survey.h"
#include "coordinator/prepare/text.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RowRangesTest, FindsWhatIsMissing) {
  EXPECT_THAT(MissingRows(10, {}), ElementsAre(RowRange{1, 10}));
  EXPECT_THAT(MissingRows(10, {{1, 10}}), IsEmpty());
  EXPECT_THAT(MissingRows(10, {{4, 6}, {1, 2}}), ElementsAre(RowRange{3, 3}, RowRange{7, 10}));
  EXPECT_THAT(MissingRows(10, {{9, 10}, {1, 3}, {4, 8}}), IsEmpty());
  EXPECT_EQ(TotalRows({{1, 3}, {7, 10}}), 7);
}

TEST(RowRangesTest, CutsEachRangeByItself) {
  RowCutter cutter({{1, 5}, {9, 10}}, 3);
  EXPECT_EQ(cutter.Next(), (RowRange{1, 3}));
  EXPECT_EQ(cutter.Next(), (RowRange{4, 5}));
  EXPECT_EQ(cutter.Next(), (RowRange{9, 10}));
  EXPECT_EQ(cutter.Next(), std::nullopt);
}

TEST(SpecTest, IsOneLineWithoutTheCutting) {
  Plan plan;
  plan.dataset.create_table_options = "COMMENT 'a\nb'";
  const std::string spec = SpecOf(plan);
  EXPECT_EQ(spec.find('\n'), std::string::npos);
  plan.load.chunk_rows = 1;
  plan.dataset.tables = 9;
  EXPECT_EQ(SpecOf(plan), spec);
  EXPECT_EQ(DifferenceFromPlan(spec, plan), "");
}

TEST(SpecTest, NamesWhatOneSideOnlyHas) {
  Plan plan;
  const std::string spec = SpecOf(plan);
  plan.dataset.range_key_partitioning = true;
  EXPECT_EQ(
      DifferenceFromPlan(spec, plan),
      "range_key_partitioning is false, the plan wants true; table_splits is absent, the plan "
      "wants 24");
}

TEST(SpecTest, HasWhatIsUnusualOnlyWhereItIs) {
  const Plan usual;
  Plan plan;
  plan.dataset.id_type = IdType::kInt64;
  plan.dataset.secondary = true;
  plan.dataset.random.type = RandType::kZipfian;
  EXPECT_EQ(SpecOf(usual).find("id_type"), std::string::npos);
  EXPECT_THAT(DifferenceFromPlan(SpecOf(usual), plan),
              testing::AllOf(testing::HasSubstr("id_type is absent, the plan wants \"int64\""),
                             testing::HasSubstr("rand_type is absent, the plan wants \"zipfian\""),
                             testing::HasSubstr("secondary is absent, the plan wants true")));
  // When the index is made does not change what is there in the end.
  plan = usual;
  plan.dataset.index = IndexTime::kBefore;
  EXPECT_EQ(SpecOf(plan), SpecOf(usual));
}

TEST(TextTest, SaysTheSameOfSeveralTablesOnce) {
  EXPECT_THAT(LinesByTable({"a", "a", "", "b", "a"}),
              ElementsAre("sbtest1 to sbtest2: a", "sbtest4: b", "sbtest5: a"));
  EXPECT_THAT(LinesByTable({}), IsEmpty());
}

TEST(ShortVersionTest, NamesServerAndVersion) {
  const struct {
    const char* version;
    Driver driver;
    const char* expected;
  } cases[] = {
      {"PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc",
       Driver::kPostgresql, "PostgreSQL 15.18"},
      {"PostgreSQL 15.2-YB-2.25.0.0-b489 on x86_64-pc-linux-gnu", Driver::kPostgresql,
       "PostgreSQL 15.2-YB-2.25.0.0-b489"},
      {"CockroachDB CCL v23.1.0 (x86_64-pc-linux-gnu, built 2023)", Driver::kPostgresql,
       "CockroachDB CCL v23.1.0"},
      {"10.11.14-MariaDB-0+deb12u2", Driver::kMysql, "MariaDB 10.11.14"},
      {"8.0.36", Driver::kMysql, "MySQL 8.0.36"},
  };
  for (const auto& c : cases) EXPECT_EQ(ShortVersion(c.version, c.driver), c.expected);
}

}  // namespace
}  // namespace sysfleet
