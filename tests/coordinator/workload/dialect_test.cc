#include "coordinator/workload/dialect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/schedule/schedule.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

DatabasePlan Server(Driver driver, Flavor flavor) {
  DatabasePlan database;
  database.driver = driver;
  database.flavor = flavor;
  return database;
}

const DatabasePlan kPostgres = Server(Driver::kPostgresql, Flavor::kPostgresql);
const DatabasePlan kYugabyte = Server(Driver::kPostgresql, Flavor::kYugabytedb);
const DatabasePlan kCockroach = Server(Driver::kPostgresql, Flavor::kCockroachdb);
const DatabasePlan kMysql = Server(Driver::kMysql, Flavor::kMysql);

DatasetPlan Rows(int64_t table_size) {
  DatasetPlan dataset;
  dataset.table_size = table_size;
  return dataset;
}

TEST(CreateTableTest, Postgresql) {
  DatasetPlan dataset = Rows(1000);
  EXPECT_THAT(CreateTableSql(kPostgres, dataset, 7),
              ElementsAre("CREATE TABLE sbtest7(id SERIAL, k INTEGER DEFAULT '0' NOT NULL, "
                          "c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, "
                          "PRIMARY KEY (id))"));
  dataset.auto_inc = false;
  dataset.create_table_options = "WITH (fillfactor = 90)";
  EXPECT_THAT(CreateTableSql(kPostgres, dataset, 1),
              ElementsAre("CREATE TABLE sbtest1(id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT "
                          "NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT "
                          "NULL, PRIMARY KEY (id)) WITH (fillfactor = 90)"));
}

TEST(CreateTableTest, Mysql) {
  DatasetPlan dataset = Rows(1000);
  dataset.mysql_storage_engine = "rocksdb";
  dataset.create_table_options = "COMMENT 'x'";
  // Neither a sequence nor its cache exists here.
  dataset.serial_cache_size = 1000;
  EXPECT_THAT(CreateTableSql(kMysql, dataset, 1),
              ElementsAre("CREATE TABLE sbtest1(id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER "
                          "DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) "
                          "DEFAULT '' NOT NULL, PRIMARY KEY (id)) /*! ENGINE = rocksdb */ "
                          "COMMENT 'x'"));
  dataset.auto_inc = false;
  EXPECT_THAT(CreateTableSql(kMysql, dataset, 1)[0], HasSubstr("(id INTEGER NOT NULL, k "));
}

TEST(CreateTableTest, WideIds) {
  DatasetPlan dataset = Rows(1000);
  dataset.id_type = IdType::kInt64;
  EXPECT_THAT(CreateTableSql(kPostgres, dataset, 1)[0], HasSubstr("(id BIGSERIAL, k INTEGER "));
  EXPECT_THAT(CreateTableSql(kMysql, dataset, 1)[0],
              HasSubstr("(id BIGINT NOT NULL AUTO_INCREMENT, k INTEGER "));
  dataset.auto_inc = false;
  EXPECT_THAT(CreateTableSql(kPostgres, dataset, 1)[0], HasSubstr("(id BIGINT NOT NULL, k "));
  EXPECT_EQ(TableDataOf(kPostgres, dataset, LoadPlan(), 1).columns(0).type(),
            v1::COLUMN_TYPE_INT64);
}

TEST(CreateTableTest, SecondaryIndexForThePrimaryKey) {
  DatasetPlan dataset = Rows(1000);
  dataset.secondary = true;
  EXPECT_THAT(CreateTableSql(kMysql, dataset, 1)[0], HasSubstr(" NOT NULL, KEY xid (id)) /*!"));
}

TEST(CreateTableTest, BulkInsert) {
  DatasetPlan dataset = Rows(0);
  dataset.schema = DatasetSchema::kBulkInsert;
  for (const DatabasePlan& server : {kPostgres, kMysql}) {
    EXPECT_THAT(CreateTableSql(server, dataset, 2),
                ElementsAre("CREATE TABLE sbtest2 (id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT "
                            "NULL, PRIMARY KEY (id))"));
  }
}

TEST(CreateTableTest, EveryTableIsSplit) {
  DatasetPlan dataset = Rows(1000);
  dataset.range_key_partitioning = true;
  dataset.num_table_splits = 4;
  for (int table = 1; table <= 3; ++table) {
    EXPECT_THAT(CreateTableSql(kYugabyte, dataset, table)[0],
                EndsWith(" SPLIT AT VALUES ((250),(500),(750))"));
  }
}

TEST(TableDataTest, KFollowsTheDistributionOfTheDataSet) {
  DatasetPlan dataset = Rows(1000);
  dataset.random.type = RandType::kPareto;
  const v1::TableData data = TableDataOf(kPostgres, dataset, LoadPlan(), 1);
  EXPECT_EQ(data.columns(1).generator().ShortDebugString(), "pareto { min: 1 max: 1000 h: 0.2 }");
}

TEST(CreateTableTest, SequenceCache) {
  DatasetPlan dataset = Rows(1000);
  dataset.serial_cache_size = 500;
  EXPECT_THAT(CreateTableSql(kYugabyte, dataset, 3),
              ElementsAre(HasSubstr("sbtest3"), "ALTER SEQUENCE sbtest3_id_seq CACHE 500"));
  EXPECT_EQ(CreateTableSql(kCockroach, dataset, 3).size(), 1u);
  dataset.auto_inc = false;
  EXPECT_EQ(CreateTableSql(kYugabyte, dataset, 3).size(), 1u);
}

TEST(CreateTableTest, RangePartitioning) {
  struct Case {
    int64_t table_size;
    int splits;
    bool manual;
    const char* end;
  };
  const Case cases[] = {
      {1000, 4, true, "PRIMARY KEY (id ASC)) SPLIT AT VALUES ((250),(500),(750))"},
      {100, 3, true, "PRIMARY KEY (id ASC)) SPLIT AT VALUES ((33),(66))"},
      {1000, 1, true, "PRIMARY KEY (id ASC))"},
      {1000, 4, false, "PRIMARY KEY (id ASC))"},
      // Three rows cannot fill five tablets: 0, 1, 1 and 2 become two split points.
      {3, 5, true, "PRIMARY KEY (id ASC)) SPLIT AT VALUES ((1),(2))"},
  };
  for (const Case& c : cases) {
    DatasetPlan dataset = Rows(c.table_size);
    dataset.range_key_partitioning = true;
    dataset.manual_range_splitting = c.manual;
    dataset.num_table_splits = c.splits;
    for (const int table : {1, 2}) {
      EXPECT_THAT(CreateTableSql(kYugabyte, dataset, table)[0], EndsWith(c.end));
    }
  }
}

TEST(CreateTableTest, OptionsFollowTheSplit) {
  DatasetPlan dataset = Rows(10);
  dataset.range_key_partitioning = true;
  dataset.num_table_splits = 2;
  dataset.create_table_options = "TABLESPACE t";
  EXPECT_THAT(CreateTableSql(kYugabyte, dataset, 1)[0],
              EndsWith(" SPLIT AT VALUES ((5)) TABLESPACE t"));
}

TEST(IndexTest, FollowsCreateSecondary) {
  DatasetPlan dataset = Rows(10);
  EXPECT_THAT(CreateIndexSql(dataset, 4), ElementsAre("CREATE INDEX k_4 ON sbtest4(k)"));
  dataset.create_secondary = false;
  EXPECT_THAT(CreateIndexSql(dataset, 4), IsEmpty());
}

TEST(CounterTest, GoesBehindTheLastRow) {
  DatasetPlan dataset = Rows(1000);
  EXPECT_THAT(SetCounterSql(kPostgres, dataset, 2),
              ElementsAre("SELECT setval('sbtest2_id_seq', 1000)"));
  EXPECT_THAT(SetCounterSql(kMysql, dataset, 2),
              ElementsAre("ALTER TABLE sbtest2 AUTO_INCREMENT = 1001"));
  EXPECT_THAT(SetCounterSql(kCockroach, dataset, 2), IsEmpty());
  dataset.auto_inc = false;
  EXPECT_THAT(SetCounterSql(kPostgres, dataset, 2), IsEmpty());
  EXPECT_THAT(SetCounterSql(kMysql, dataset, 2), IsEmpty());
}

TEST(DropTest, NamesTheTable) {
  EXPECT_EQ(DropTableSql(9), "DROP TABLE IF EXISTS sbtest9");
}

TEST(TableDataTest, HasSysbenchsColumns) {
  DatasetPlan dataset = Rows(500);
  dataset.seed = 11;
  const v1::TableData data = TableDataOf(kPostgres, dataset, LoadPlan(), 3);

  EXPECT_EQ(data.table(), "sbtest3");
  EXPECT_EQ(data.seed(), TableSeed(11, 3));
  ASSERT_EQ(data.columns_size(), 4);
  EXPECT_EQ(data.columns(0).name(), "id");
  EXPECT_EQ(data.columns(0).type(), v1::COLUMN_TYPE_INT32);
  EXPECT_TRUE(data.columns(0).generator().has_row_number());
  EXPECT_EQ(data.columns(1).name(), "k");
  EXPECT_EQ(data.columns(1).type(), v1::COLUMN_TYPE_INT32);
  EXPECT_EQ(data.columns(1).generator().uniform().min(), 1);
  EXPECT_EQ(data.columns(1).generator().uniform().max(), 500);
  EXPECT_EQ(data.columns(2).name(), "c");
  EXPECT_EQ(data.columns(2).type(), v1::COLUMN_TYPE_TEXT);
  EXPECT_EQ(data.columns(3).name(), "pad");
  EXPECT_EQ(data.columns(3).generator().pattern().text(),
            "###########-###########-###########-###########-###########");
}

TEST(TableDataTest, PatternCIsTenGroupsOfElevenDigits) {
  const v1::TableData data = TableDataOf(kMysql, Rows(5), LoadPlan(), 1);
  std::string expected;
  for (int group = 0; group < 10; ++group) {
    expected += (group > 0 ? "-" : "") + std::string(11, '#');
  }
  EXPECT_EQ(data.columns(2).generator().pattern().text(), expected);
}

TEST(TableDataTest, Method) {
  struct Case {
    DatabasePlan database;
    LoadMethod method;
    v1::LoadMethod expected;
  };
  const Case cases[] = {
      {kPostgres, LoadMethod::kAuto, v1::LOAD_METHOD_COPY},
      {kYugabyte, LoadMethod::kAuto, v1::LOAD_METHOD_COPY},
      {kMysql, LoadMethod::kAuto, v1::LOAD_METHOD_INSERT},
      {kPostgres, LoadMethod::kInsert, v1::LOAD_METHOD_INSERT},
      {kPostgres, LoadMethod::kCopy, v1::LOAD_METHOD_COPY},
      {kMysql, LoadMethod::kLocalInfile, v1::LOAD_METHOD_LOCAL_INFILE},
  };
  for (const Case& c : cases) {
    LoadPlan load;
    load.method = c.method;
    EXPECT_EQ(TableDataOf(c.database, Rows(5), load, 1).method(), c.expected);
  }
}

TEST(PlaceholderTest, AreNumberedForPostgresql) {
  EXPECT_EQ(WithPlaceholders("a=? AND b BETWEEN ? AND ?", Driver::kPostgresql),
            "a=$1 AND b BETWEEN $2 AND $3");
  EXPECT_EQ(WithPlaceholders("a=? AND b=?", Driver::kMysql), "a=? AND b=?");
  EXPECT_EQ(WithPlaceholders("COMMIT", Driver::kPostgresql), "COMMIT");
}

TEST(QuoteTest, QuotesForTheFamily) {
  struct Case {
    const char* text;
    const char* postgresql;
    const char* mysql;
  };
  const Case cases[] = {
      {"", "''", "''"},
      {"plain", "'plain'", "'plain'"},
      {"it's", "'it''s'", "'it''s'"},
      {R"(a\b)", R"(E'a\\b')", R"('a\\b')"},
      {R"(\')", R"(E'\\''')", R"('\\''')"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(QuoteLiteral(c.text, Driver::kPostgresql), c.postgresql);
    EXPECT_EQ(QuoteLiteral(c.text, Driver::kMysql), c.mysql);
  }
}

}  // namespace
}  // namespace sysfleet
