#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/coordinator/plan/plan_text.h"

namespace sysfleet {
namespace {

/// `text` follows a line with a database; `errors` are all that it must give.
struct Case {
  std::string text;
  std::string errors;
};

void ExpectErrors(std::string_view first_line, std::initializer_list<Case> cases) {
  for (const Case& item : cases) {
    EXPECT_EQ(ErrorsOf(ParseText(std::string(first_line) + item.text)), item.errors) << item.text;
  }
}

TEST(PlanErrors, OfTheWholeText) {
  ExpectErrors(
      "",
      {{"",
        "plan.yaml:1:1: the plan is empty; it needs at least 'database' with its driver and "
        "nodes\n"},
       {"# nothing\n",
        "plan.yaml:1:1: the plan is empty; it needs at least 'database' with its "
        "driver and nodes\n"},
       {"- a\n", "plan.yaml:1:1: expected sections such as 'database', got a list\n"},
       {"just words\n", "plan.yaml:1:1: expected sections such as 'database', got 'just words'\n"},
       {std::string("database\0", 9), "plan.yaml:1:9: not a text file: a NUL byte\n"},
       {"\x7f"
        "ELF\x02\xfe",
        "plan.yaml:1:6: not a text file: a byte that is not UTF-8\n"},
       {"database:\n\tdriver: mysql\n",
        "plan.yaml:2:1: YAML: a tab in the indentation; use spaces\n"},
       {"run: {threads: 4}\nname: x\n",
        "plan.yaml:1:1: database: missing; a plan needs at least its driver and nodes\n"
        "plan.yaml:1:1: run.workloads: missing; name at least one, as in [oltp_read_write]\n"}});
}

TEST(PlanErrors, OfRates) {
  ExpectErrors(
      kMysql,
      {{"run: {workloads: oltp_insert, rate: [5k/s, fast, 0, -1/s]}\n",
        "plan.yaml:2:44: run.rate: expected transactions a second such as 5000/s, got 'fast'\n"
        "plan.yaml:2:50: run.rate: expected transactions a second such as 5000/s, got '0'\n"
        "plan.yaml:2:53: run.rate: expected transactions a second such as 5000/s, got '-1/s'\n"},
       {"run: {workloads: oltp_insert, rate: 5/s, arrivals: bursts}\n",
        "plan.yaml:2:52: run.arrivals: expected one of poisson, even, got 'bursts'\n"}});
}

TEST(PlanErrors, OfKeys) {
  ExpectErrors(
      kMysql,
      {{"run: {workloads: oltp_insert, thread: 3}\n",
        "plan.yaml:2:31: run.thread: unknown key; did you mean 'threads'?\n"},
       {"dataset:\n  tabel-size: 3\n",
        "plan.yaml:3:3: dataset.tabel_size: unknown key; did you mean 'table_size'?\n"},
       {"load: {speed: 3}\n",
        "plan.yaml:2:8: load.speed: unknown key; expected one of threads, chunk_rows, method\n"},
       {"datasets: {}\n", "plan.yaml:2:1: datasets: unknown key; did you mean 'dataset'?\n"},
       {"load: {threads: 3, threads: 4}\n",
        "plan.yaml:2:20: load.threads: key is there twice; the first is in line 2\n"},
       {"load: {chunk_rows: 3, chunk-rows: 4}\n",
        "plan.yaml:2:23: load.chunk_rows: key is there twice; the first is in line 2\n"},
       {"database: {}\n", "plan.yaml:2:1: database: key is there twice; the first is in line 1\n"},
       {"load: 7\n", "plan.yaml:2:7: load: expected a section of keys and values, got '7'\n"},
       {"load: [threads]\n",
        "plan.yaml:2:7: load: expected a section of keys and values, got a list\n"}});
}

TEST(PlanErrors, OfNamesAndAgents) {
  ExpectErrors(
      kMysql,
      {{"name: a b\n",
        "plan.yaml:2:7: name: expected letters, digits, '.', '_' and '-', got 'a b'\n"},
       {"name: ../x\n",
        "plan.yaml:2:7: name: expected letters, digits, '.', '_' and '-', got '../x'\n"},
       {"name: []\n", "plan.yaml:2:7: name: expected a text, got a list\n"},
       {"agents: [a:1, b:2, a:1]\n", "plan.yaml:2:20: agents: a:1 is there twice\n"},
       {"agents:\n  - a\n  - a:7070\n", "plan.yaml:4:5: agents: a:7070 is there twice\n"},
       {"agents: [a:x]\n",
        "plan.yaml:2:10: agents: expected host:port with a port from 1 to 65535, "
        "got 'a:x'\n"},
       {"agents: [a:70707, a:0, 'a b', ':1', '[::1']\n",
        "plan.yaml:2:10: agents: expected host:port with a port from 1 to 65535, got 'a:70707'\n"
        "plan.yaml:2:19: agents: expected host:port with a port from 1 to 65535, got 'a:0'\n"
        "plan.yaml:2:24: agents: expected host:port with a port from 1 to 65535, got 'a b'\n"
        "plan.yaml:2:31: agents: expected host:port with a port from 1 to 65535, got ':1'\n"
        "plan.yaml:2:37: agents: expected host:port with a port from 1 to 65535, got '[::1'\n"},
       {"agents: {a: 1}\n", "plan.yaml:2:9: agents: expected host:port, got a section\n"},
       {"agents: [a, , b]\n", "plan.yaml:2:13: agents: expected host:port, got nothing\n"}});
  EXPECT_EQ(ErrorsOf(ParsePlan(kMysql, "my plan.yaml", "", {})),
            "my plan.yaml:1:1: name: missing, and the file's name cannot stand for it; expected "
            "letters, digits, '.', '_' and '-'\n");
}

TEST(PlanErrors, OfTheDatabase) {
  ExpectErrors(
      "",
      {{"database:\n",
        "plan.yaml:1:1: database.driver: missing; expected one of mysql, postgresql\n"
        "plan.yaml:1:1: database.nodes: missing; list the database's nodes, as in "
        "[db-1:3306, db-2:3306]\n"},
       {"database: {driver: oracle, nodes: []}\n",
        "plan.yaml:1:20: database.driver: expected one of mysql, postgresql, pgsql, got 'oracle'\n"
        "plan.yaml:1:35: database.nodes: missing; list the database's nodes, as in [db-1:3306, "
        "db-2:3306]\n"},
       {"database: {driver: mysql, flavor: yugabytedb, nodes: n}\n",
        "plan.yaml:1:35: database.flavor: yugabytedb speaks driver postgresql, not mysql\n"},
       {"database: {driver: pgsql, flavor: tidb, nodes: n}\n",
        "plan.yaml:1:35: database.flavor: tidb speaks driver mysql, not postgresql\n"},
       {"database: {driver: mysql, flavor: db2, nodes: n}\n",
        "plan.yaml:1:35: database.flavor: expected one of postgresql, yugabytedb, cockroachdb, "
        "mysql, mariadb, tdstore, tidb, oceanbase, got 'db2'\n"},
       {"database: {driver: mysql, nodes: n, name: '', user: ''}\n",
        "plan.yaml:1:43: database.name: expected a name, got ''\n"
        "plan.yaml:1:53: database.user: expected a name, got ''\n"},
       {"database: {driver: mysql, nodes: n, tls: on, password: [x], before_run: {a: b}}\n",
        "plan.yaml:1:42: database.tls: expected one of disable, prefer, require, got 'on'\n"
        "plan.yaml:1:56: database.password: expected a text, got a list\n"
        "plan.yaml:1:73: database.before_run: expected an SQL statement, got a section\n"},
       {"database: {driver: mysql, nodes: n, user: \"a\\0b\"}\n",
        "plan.yaml:1:43: database.user: a NUL character is not possible here\n"}});
}

TEST(PlanErrors, OfReferencesShowNoValue) {
  unsetenv("SYSFLEET_TEST_NONE");
  setenv("SYSFLEET_TEST_SECRET", "hunter2", 1);
  ExpectErrors(
      "",
      {{"database:\n  driver: mysql\n  nodes: n\n  password: ${env:SYSFLEET_TEST_NONE}\n",
        "plan.yaml:4:13: database.password: environment variable 'SYSFLEET_TEST_NONE' is not set; "
        "export it first\n"},
       {"database:\n  driver: mysql\n  nodes: n\n  password: ${file:/nowhere/pw}\n",
        "plan.yaml:4:13: database.password: cannot read file '/nowhere/pw': No such file or "
        "directory\n"},
       {"database:\n  driver: mysql\n  nodes: n n\n  tls: ${env:SYSFLEET_TEST_SECRET}\n"
        "load:\n  threads: ${env:SYSFLEET_TEST_SECRET}\n",
        "plan.yaml:3:10: database.nodes: expected host:port with a port from 1 to 65535, got "
        "'n n'\n"
        "plan.yaml:4:8: database.tls: expected one of disable, prefer, require, got the value of "
        "'${env:SYSFLEET_TEST_SECRET}'\n"
        "plan.yaml:6:12: load.threads: expected a whole number from 1 to 1,000,000, got the value "
        "of '${env:SYSFLEET_TEST_SECRET}'\n"}});
}

TEST(PlanErrors, OfSizes) {
  ExpectErrors(
      kPostgresql,
      {{"dataset: {table_size: 1000G}\n",
        "plan.yaml:2:23: dataset.table_size: expected a whole number from 1 to 2,147,483,647 (ids "
        "are 32-bit integers; see id_type), got '1000G'\n"},
       {"dataset: {table_size: 2147483648}\n",
        "plan.yaml:2:23: dataset.table_size: expected a whole number from 1 to 2,147,483,647 (ids "
        "are 32-bit integers; see id_type), got '2147483648'\n"},
       {"dataset: {tables: 1000, table_size: 1G}\n",
        "plan.yaml:2:19: dataset.tables: 1,000 tables x 1,000,000,000 rows are 1,000,000,000,000 "
        "rows; at most 100,000,000,000 are possible\n"},
       {"dataset: {tables: 0}\n",
        "plan.yaml:2:19: dataset.tables: expected a whole number from 1 to 1,000,000, got '0'\n"},
       {"dataset: {tables: 1e3}\n",
        "plan.yaml:2:19: dataset.tables: expected a whole number from 1 to 1,000,000, got '1e3'\n"},
       {"dataset: {tables: 08}\n",
        "plan.yaml:2:19: dataset.tables: expected a whole number from 1 to 1,000,000, got '08'\n"},
       {"dataset: {tables: }\n",
        "plan.yaml:2:11: dataset.tables: expected a whole number from 1 to 1,000,000, got "
        "nothing\n"},
       {"dataset: {seed: -1}\n",
        "plan.yaml:2:17: dataset.seed: expected a whole number of at least 0, got '-1'\n"},
       {"dataset: {auto_inc: maybe}\n",
        "plan.yaml:2:21: dataset.auto_inc: expected on or off, got 'maybe'\n"},
       {"dataset: {table_size: 2147483549}\nrun: {workloads: [oltp_point_select, "
        "oltp_read_only]}\n",
        "plan.yaml:3:38: run.workloads: oltp_read_only: table_size 2,147,483,549 and ranges of 100 "
        "reach beyond the largest id, 2,147,483,647; see dataset.id_type\n"},
       {"run: {range_size: 2147483647, workloads: oltp_read_write}\n",
        "plan.yaml:2:42: run.workloads: oltp_read_write: table_size 10,000 and ranges of "
        "2,147,483,647 reach beyond the largest id, 2,147,483,647; see dataset.id_type\n"}});
}

TEST(PlanErrors, OfDistributions) {
  ExpectErrors(
      kPostgresql,
      {{"dataset: {rand_type: normal}\n",
        "plan.yaml:2:22: dataset.rand_type: expected one of uniform, gaussian, special, pareto, "
        "zipfian, scrambled_zipfian, got 'normal'\n"},
       {"run: {workloads: oltp_insert, rand_pareto_h: 1}\n",
        "plan.yaml:2:46: run.rand_pareto_h: expected a number from 0.001 to 0.999, got '1'\n"},
       {"run: {workloads: {use: oltp_insert, rand_zipfian_exp: -1}}\n",
        "plan.yaml:2:55: run.workloads.rand_zipfian_exp: expected a number from 0 to 100, got "
        "'-1'\n"},
       {"run: {workloads: oltp_insert, rand_spec_res: 101}\n",
        "plan.yaml:2:46: run.rand_spec_res: expected a whole number from 0 to 100, got '101'\n"},
       {"run: {workloads: oltp_insert, db_ps_mode: off}\n",
        "plan.yaml:2:43: run.db_ps_mode: expected one of auto, disable, got 'off'\n"}});
}

TEST(PlanErrors, OfTablesThatAWorkloadCannotUse) {
  ExpectErrors(
      kPostgresql,
      {{"run: {workloads: bulk_insert}\n",
        "plan.yaml:2:18: run.workloads: bulk_insert: needs tables of its own: give dataset.schema: "
        "bulk_insert, and dataset.tables: as many as run.threads\n"},
       {"dataset: {schema: bulk_insert}\nrun: {workloads: [select_one, oltp_delete]}\n",
        "plan.yaml:3:31: run.workloads: oltp_delete: needs tables with rows, and the data set has "
        "the schema bulk_insert; give it a plan of its own\n"},
       {"dataset: {schema: bulk_insert, tables: 3}\nrun: {workloads: bulk_insert, threads: 4}\n",
        "plan.yaml:3:18: run.workloads: bulk_insert: each connection fills a table of its own: 4 "
        "threads need dataset.tables of at least as many, not 3\n"},
       {"dataset: {schema: bulk_insert, tables: 3}\n"
        "run: {workloads: bulk_insert, threads: [1, 2]}\n",
        "plan.yaml:3:18: run.workloads: bulk_insert: begins with id 1 in every cell, and would "
        "meet its own rows in the second; give one number of threads, and the workload once\n"},
       {"dataset: {schema: bulk_insert, auto_inc: on}\n",
        "plan.yaml:2:42: dataset.auto_inc: the empty tables of schema bulk_insert do not have it; "
        "leave it out\n"},
       {"dataset: {auto_inc: off}\nrun: {workloads: oltp_multi_value_insert}\n",
        "plan.yaml:3:18: run.workloads: oltp_multi_value_insert: has the server choose the ids, "
        "and dataset.auto_inc is off\n"},
       {"dataset: {table_size: 2147483647}\nrun: {workloads: [oltp_join, select_random_ranges]}\n",
        "plan.yaml:3:19: run.workloads: oltp_join: table_size 2,147,483,647 and ranges of 101 "
        "reach beyond the largest id, 2,147,483,647; see dataset.id_type\n"
        "plan.yaml:3:30: run.workloads: select_random_ranges: table_size 2,147,483,647 and ranges "
        "of 6 reach beyond the largest id, 2,147,483,647; see dataset.id_type\n"}});
}

TEST(PlanErrors, OfWhatAServerDoesNotHave) {
  ExpectErrors(
      kPostgresql,
      {{"dataset: {secondary: on}\n",
        "plan.yaml:2:22: dataset.secondary: only driver mysql has this syntax; leave it out\n"},
       {"dataset: {range_key_partitioning: true}\n",
        "plan.yaml:2:35: dataset.range_key_partitioning: only YugabyteDB has this syntax, plain "
        "PostgreSQL does not; leave it out, or set database.flavor to yugabytedb\n"},
       {"dataset: {serial_cache_size: 10, auto_inc: off}\n",
        "plan.yaml:2:30: dataset.serial_cache_size: without auto_inc there is no sequence; leave "
        "it "
        "out\n"},
       {"dataset: {mysql_storage_engine: innodb}\n",
        "plan.yaml:2:33: dataset.mysql_storage_engine: only tables of driver mysql have a storage "
        "engine; leave it out\n"},
       {"load: {method: local_infile}\n",
        "plan.yaml:2:16: load.method: local_infile is for driver mysql; use auto, copy or "
        "insert\n"}});
  ExpectErrors(
      kMysql,
      {{"dataset: {range_key_partitioning: true}\n",
        "plan.yaml:2:35: dataset.range_key_partitioning: only YugabyteDB has this syntax, mysql "
        "does not; leave it out, or set database.flavor to yugabytedb\n"},
       {"dataset: {serial_cache_size: 10}\n",
        "plan.yaml:2:30: dataset.serial_cache_size: only tables of driver postgresql have "
        "sequences; leave it out\n"},
       {"dataset: {mysql_storage_engine: 'inno db'}\n",
        "plan.yaml:2:33: dataset.mysql_storage_engine: expected an engine's name, got 'inno db'\n"},
       {"load: {method: copy}\n",
        "plan.yaml:2:16: load.method: copy is for driver postgresql; use auto, insert or "
        "local_infile\n"},
       {"load: {method: magic}\n",
        "plan.yaml:2:16: load.method: expected one of auto, copy, insert, local_infile, got "
        "'magic'\n"}});
  ExpectErrors(
      kYugabytedb,
      {{"load: {chunk_rows: 20001}\n",
        "plan.yaml:2:20: load.chunk_rows: YugabyteDB commits a COPY every 20,000 rows by itself, "
        "so "
        "that a larger chunk could be left half loaded; give at most 20,000\n"},
       {"load: {chunk_rows: 20001, method: insert}\n", ""},
       {"dataset: {range_key_partitioning: on, table_size: 10}\n",
        "plan.yaml:2:1: dataset.num_table_splits: 24 tablets are more than the 10 rows of a "
        "table\n"}});
}

TEST(PlanErrors, OfWorkloads) {
  ExpectErrors(
      kMysql,
      {{"run: {workloads: []}\n",
        "plan.yaml:2:18: run.workloads: missing; name at least one, as in [oltp_read_write]\n"},
       {"run:\n  workloads: [oltp_readwrite]\n",
        "plan.yaml:3:15: run.workloads: unknown workload 'oltp_readwrite'; did you mean "
        "'oltp_read_write'?\n"},
       {"run:\n  workloads:\n    - tpcc\n",
        "plan.yaml:4:7: run.workloads: unknown workload 'tpcc'; expected one of "
        "bulk_insert, idle, idleconnection, oltp_delete, oltp_insert, oltp_join, "
        "oltp_multi_insert, "
        "oltp_multi_value_insert, oltp_point_select, oltp_primarykey_scan, oltp_read_only, "
        "oltp_read_write, "
        "oltp_sequential_scan, oltp_simple_ranges, oltp_sum_scan, oltp_update_index, "
        "oltp_update_non_index, "
        "oltp_write_only, select_one, select_random_points, select_random_ranges\n"},
       {"run:\n  workloads:\n    - {use: oltp_inser}\n",
        "plan.yaml:4:13: run.workloads.use: unknown workload 'oltp_inser'; did you mean "
        "'oltp_insert'?\n"},
       {"run:\n  workloads:\n    - {label: x}\n",
        "plan.yaml:4:7: run.workloads.use: missing; name a workload, as in use: oltp_read_write\n"},
       {"run:\n  workloads:\n    - {use: oltp_insert, point_select: 3}\n",
        "plan.yaml:4:26: run.workloads.point_select: unknown key; did you mean 'point_selects'?\n"},
       {"run:\n  workloads:\n    - {use: oltp_insert, point_selects: -3, range_size: 0}\n",
        "plan.yaml:4:41: run.workloads.point_selects: expected a whole number from 0 to 100,000, "
        "got '-3'\n"
        "plan.yaml:4:57: run.workloads.range_size: expected a whole number from 1 to "
        "2,147,483,647, "
        "got '0'\n"},
       {"run:\n  workloads: [oltp_insert, oltp_delete, oltp_insert]\n",
        "plan.yaml:3:41: run.workloads: 'oltp_insert' is there twice; give each a label of its "
        "own\n"},
       {"run:\n  workloads:\n  - {use: oltp_insert, label: x}\n  - {use: oltp_delete, label: x}\n",
        "plan.yaml:5:5: run.workloads: 'x' is there twice; give each a label of its own\n"},
       {"run:\n  workloads: {use: oltp_insert, label: a|b}\n",
        "plan.yaml:3:40: run.workloads.label: expected letters, digits, '.', '_' and '-', got "
        "'a|b'\n"},
       {"run:\n  workloads: [[oltp_insert]]\n",
        "plan.yaml:3:15: run.workloads: expected a workload's name, got a list\n"}});
}

TEST(PlanErrors, OfThreads) {
  ExpectErrors(std::string(kMysql) + "agents: [a, b, c]\n",
               {{"run: {workloads: oltp_insert, threads: [32, 2, 1]}\n",
                 "plan.yaml:3:45: run.threads: 2 is too few for 3 agents: each needs a "
                 "connection, so give at least 3\n"
                 "plan.yaml:3:48: run.threads: 1 is too few for 3 agents: each needs a "
                 "connection, so give at least 3\n"},
                {"run: {workloads: oltp_insert}\n",
                 "plan.yaml:3:1: run.threads: 1 is too few for 3 agents: each needs a "
                 "connection, so give at least 3\n"},
                {"load: {threads: 2}\n",
                 "plan.yaml:3:17: load.threads: 2 is too few for 3 agents: each needs a "
                 "connection, so give at least 3\n"}});
  ExpectErrors(
      kMysql,
      {{"run: {workloads: oltp_insert, threads: 0}\n",
        "plan.yaml:2:40: run.threads: expected a whole number from 1 to 1,000,000, got '0'\n"},
       {"run: {workloads: oltp_insert, threads: [-1, x]}\n",
        "plan.yaml:2:41: run.threads: expected a whole number from 1 to 1,000,000, got '-1'\n"
        "plan.yaml:2:45: run.threads: expected a whole number from 1 to 1,000,000, got 'x'\n"},
       {"run: {workloads: oltp_insert, threads: []}\n",
        "plan.yaml:2:40: run.threads: expected at least one number, got an empty list\n"},
       {"load: {threads: 0}\n",
        "plan.yaml:2:17: load.threads: expected a whole number from 1 to 1,000,000, got '0'\n"}});
}

TEST(PlanErrors, OfTimes) {
  ExpectErrors(
      std::string(kMysql) + "run:\n  workloads: oltp_insert\n",
      {{"  time: ten\n",
        "plan.yaml:4:9: run.time: expected a duration such as 600s or 10m, got 'ten'\n"},
       {"  time: [1s]\n",
        "plan.yaml:4:9: run.time: expected a duration such as 600s or 10m, got a list\n"},
       {"  time: 9000h\n",
        "plan.yaml:4:9: run.time: expected a duration from 0s to 8760h (a year), got '9000h'\n"},
       {"  thread_init_timeout: 0\n",
        "plan.yaml:4:24: run.thread_init_timeout: expected a duration from 1s to 8760h (a year), "
        "got '0'\n"},
       {"  time: 0\n",
        "plan.yaml:4:9: run.time: neither time nor events: the run would never end; give one of "
        "them\n"},
       {"  time: 0\n  events: many\n",
        "plan.yaml:5:11: run.events: expected a whole number of at least 0, got 'many'\n"},
       {"  time: 0\n  events: 100\n", ""},
       {"  time: 10\n  events: 100\n  warmup_time: 5\n",
        "plan.yaml:6:16: run.warmup_time: not together with events, which are counted from the "
        "start\n"},
       {"  time: 0\n  warmup_time: 5\n",
        "plan.yaml:4:9: run.time: neither time nor events: the run would never end; give one of "
        "them\nplan.yaml:5:16: run.warmup_time: a warm-up needs a time behind it\n"}});
}

TEST(PlanErrors, OfIgnoredErrors) {
  constexpr std::string_view kRun = "run:\n  workloads: oltp_insert\n";
  ExpectErrors(
      std::string(kMysql) + std::string(kRun),
      {{"  ignore_errors: [1213, 40P01, 0]\n",
        "plan.yaml:4:25: run.ignore_errors: expected 'all' or a MySQL error number such as "
        "1213, got '40P01'\n"
        "plan.yaml:4:32: run.ignore_errors: expected 'all' or a MySQL error number such as "
        "1213, got '0'\n"},
       {"  ignore_errors: {}\n",
        "plan.yaml:4:18: run.ignore_errors: expected 'all' or a MySQL error number such as "
        "1213, got a section\n"}});
  ExpectErrors(std::string(kPostgresql) + std::string(kRun),
               {{"  ignore_errors: [40001, 1213]\n",
                 "plan.yaml:4:26: run.ignore_errors: expected 'all' or an SQLSTATE such as 40001, "
                 "got '1213'\n"}});
}

TEST(PlanErrors, OfTheReport) {
  ExpectErrors(
      kMysql,
      {{"report: {percentiles: [0, 100, 100.5, p95, 100]}\n",
        "plan.yaml:2:24: report.percentiles: expected a percentile above 0 and up to 100, got '0'\n"
        "plan.yaml:2:32: report.percentiles: expected a percentile above 0 and up to 100, got "
        "'100.5'\n"
        "plan.yaml:2:39: report.percentiles: expected a percentile above 0 and up to 100, got "
        "'p95'\n"
        "plan.yaml:2:44: report.percentiles: 100 is there twice\n"},
       {"report: {percentiles: []}\n",
        "plan.yaml:2:23: report.percentiles: expected 1 to 10 percentiles, got 0\n"},
       {"report: {percentiles: [1,2,3,4,5,6,7,8,9,10,11]}\n",
        "plan.yaml:2:23: report.percentiles: expected 1 to 10 percentiles, got 11\n"},
       {"report: {reference: none.csv}\n",
        "plan.yaml:2:21: report.reference: there is no file 'none.csv' or "
        "'../reference/none.csv'\n"},
       {"report: {reference: /nowhere/none.csv}\n",
        "plan.yaml:2:21: report.reference: there is no file '/nowhere/none.csv'\n"},
       {"report: {reference: tests/coordinator}\n",
        "plan.yaml:2:21: report.reference: there is no file 'tests/coordinator'\n"},
       {"report: {directory: ''}\n",
        "plan.yaml:2:21: report.directory: expected a folder, got ''\n"}});
}

TEST(PlanErrors, AreAllToldAtOnceInTheOrderOfTheFile) {
  const auto result = ParseText(
      "report: {percentiles: 0}\n"
      "run:\n"
      "  workloads: [foo]\n"
      "  thread: 4\n"
      "database:\n"
      "  driver: mysql\n"
      "  nodes: []\n"
      "agents: [a, a]\n",
      {"run.time=ten"});
  ASSERT_TRUE(std::holds_alternative<std::vector<PlanError>>(result));
  EXPECT_EQ(
      ToString(std::get<std::vector<PlanError>>(result)),
      "plan.yaml:1:23: report.percentiles: expected a percentile above 0 and up to 100, got "
      "'0'\n"
      "plan.yaml:3:15: run.workloads: unknown workload 'foo'; expected one of "
      "bulk_insert, idle, idleconnection, oltp_delete, oltp_insert, oltp_join, oltp_multi_insert, "
      "oltp_multi_value_insert, oltp_point_select, oltp_primarykey_scan, oltp_read_only, "
      "oltp_read_write, "
      "oltp_sequential_scan, oltp_simple_ranges, oltp_sum_scan, oltp_update_index, "
      "oltp_update_non_index, "
      "oltp_write_only, select_one, select_random_points, select_random_ranges\n"
      "plan.yaml:4:3: run.thread: unknown key; did you mean 'threads'?\n"
      "plan.yaml:7:10: database.nodes: missing; list the database's nodes, as in [db-1:3306, "
      "db-2:3306]\n"
      "plan.yaml:8:13: agents: a:7070 is there twice\n"
      "--set run.time=ten: run.time: expected a duration such as 600s or 10m, got 'ten'\n"
      "6 errors; nothing was started\n");
}

TEST(PlanErrors, AreCountedInWords) {
  const PlanError error{"plan.yaml:1:1", "broken"};
  EXPECT_EQ(ToString(std::vector<PlanError>{error}),
            "plan.yaml:1:1: broken\n1 error; nothing was started\n");
}

}  // namespace
}  // namespace sysfleet
