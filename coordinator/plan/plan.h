// A plan: everything that a run does, valid and complete with defaults. Names and defaults are
// sysbench's wherever it has them. A value; nothing here touches a file or a network.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/endpoint.h"
#include "common/rpc/security.h"
#include "coordinator/plan/limit.h"
#include "coordinator/plan/own_plan.h"
#include "coordinator/plan/random_options.h"

namespace sysfleet {

enum class Driver : uint8_t { kPostgresql, kMysql };

/// What the server really is, where it matters for SQL.
enum class Flavor : uint8_t {
  kPostgresql,
  kYugabytedb,
  kCockroachdb,  // driver postgresql
  kMysql,
  kMariadb,
  kTdstore,
  kTidb,
  kOceanbase,  // driver mysql
};

enum class TlsPolicy : uint8_t { kDisable, kPrefer, kRequire };

struct DatabasePlan {
  Driver driver = Driver::kPostgresql;
  Flavor flavor = Flavor::kPostgresql;
  std::vector<Endpoint> nodes;
  std::string name = "sbtest";
  std::string user = "sbtest";
  std::string password;
  TlsPolicy tls = TlsPolicy::kPrefer;
  /// Executed once, on one connection to the first node, before anything else.
  std::vector<std::string> before_run;
  /// What ${env:…} and ${file:…} stood for in before_run: shown as little as the password.
  std::vector<std::string> secrets;
};

enum class DatasetSchema : uint8_t {
  kSbtest,
  kBulkInsert,  // empty tables of id and k alone, one for each connection
};

enum class IdType : uint8_t { kInt32, kInt64 };

/// When the secondary indexes are made: once the rows are there, or with the tables.
enum class IndexTime : uint8_t { kAfter, kBefore };

enum class LoadMethod : uint8_t { kAuto, kCopy, kInsert, kLocalInfile };

struct DatasetPlan {
  /// The tables are there and are used as they are: nothing is created, loaded, counted or dropped.
  bool existing = false;
  DatasetSchema schema = DatasetSchema::kSbtest;
  int tables = 1;
  /// 0 for the schema kBulkInsert, and only there.
  int64_t table_size = 10'000;
  bool auto_inc = true;
  IdType id_type = IdType::kInt32;
  /// An index on id that is not unique in the place of the primary key. MySQL family.
  bool secondary = false;
  bool create_secondary = true;
  IndexTime index = IndexTime::kAfter;
  std::string create_table_options;
  std::string mysql_storage_engine = "innodb";
  /// Sets the cache of each table's sequence; 0 leaves the server's own. PostgreSQL family.
  int64_t serial_cache_size = 0;
  /// YugabyteDB: PRIMARY KEY (id ASC) instead of hash, split into num_table_splits tablets.
  bool range_key_partitioning = false;
  bool manual_range_splitting = true;
  int num_table_splits = 24;
  /// Of column k.
  RandomOptions random;
  /// The content of the rows is a function of it.
  uint64_t seed = 1;
};

struct LoadPlan {
  /// Connections over the whole fleet.
  int threads = 16;
  int64_t chunk_rows = 10'000;
  LoadMethod method = LoadMethod::kAuto;
};

enum class PsMode : uint8_t {
  kAuto,     // statements are prepared by the server, where sysbench has it so
  kDisable,  // all are sent as text
};

/// The options of the workloads, with sysbench's names and defaults.
struct WorkloadOptions {
  int point_selects = 10;
  bool range_selects = true;
  int range_size = 100;
  int simple_ranges = 1;
  int sum_ranges = 1;
  int order_ranges = 1;
  int distinct_ranges = 1;
  int index_updates = 1;
  int non_index_updates = 1;
  int delete_inserts = 1;
  int num_rows_in_insert = 10;
  int batch_insert_count = 4000;
  bool smaller_row_sizes = false;
  int random_points = 10;
  int number_of_ranges = 10;
  int delta = 5;
  bool skip_trx = false;
  PsMode db_ps_mode = PsMode::kAuto;
  RandomOptions random;
};

struct WorkloadPlan {
  /// A built-in workload's name, or that of one of the plan's own.
  std::string use;
  /// The plan's own; null for a built-in one.
  std::shared_ptr<const OwnWorkload> own;
  /// For tables and reports: `use`, unless the plan gives another. Unique within a plan.
  std::string label;
  WorkloadOptions options;
};

struct ErrorPolicy {
  /// Retry any error of a statement.
  bool all = false;
  /// SQLSTATEs or error numbers.
  std::vector<std::string> codes;
};

/// How the intended starts of an open loop lie.
enum class ArrivalProcess : uint8_t {
  kPoisson,  // at random, as of many users who know nothing of each other
  kEven,     // at equal distances
};

enum class SweepOrder : uint8_t {
  kWritten,      // each cell with its repetitions, as the plan lists them
  kInterleaved,  // all cells once, then again
  kShuffled,     // at random, a function of the run's seed
};

/// What is varied until a limit is met.
enum class SearchDimension : uint8_t { kThreads, kRate };

struct SearchPlan {
  SearchDimension vary = SearchDimension::kThreads;
  Limit limit;
  /// Levels of what is varied, both included.
  int64_t from = 1;
  int64_t to = 1024;
  /// How long the level that was found is measured once more.
  std::chrono::seconds confirm_time{0};
};

struct RunPlan {
  std::vector<WorkloadPlan> workloads;
  std::vector<int> threads = {1};
  /// Intended transactions a second over the whole fleet, one cell for each; empty: a closed loop.
  std::vector<double> rates;
  ArrivalProcess arrivals = ArrivalProcess::kPoisson;
  std::chrono::seconds warmup_time{0};
  /// The warm-up ends from here on as soon as throughput is steady.
  std::optional<std::chrono::seconds> warmup_min;
  /// 0: no limit but `events`.
  std::chrono::seconds time{10};
  /// Transactions over the whole fleet; 0: no limit but `time`.
  int64_t events = 0;
  ErrorPolicy ignore_errors;
  std::chrono::seconds thread_init_timeout{30};
  /// How often a transaction is tried again before it is given up; 0: without end.
  int retry_limit = 0;
  /// Each connection is opened anew after so many of its transactions; 0: never.
  int64_t reconnect = 0;
  /// How long transactions may go on after the time is over before they are cut off.
  std::chrono::seconds forced_shutdown{5};
  uint64_t seed = 1;
  /// How often each cell is measured.
  int repeat = 1;
  SweepOrder order = SweepOrder::kWritten;
  /// Between two cells.
  std::chrono::seconds pause{0};
  /// SQL, executed on one connection to the first node before and after each cell.
  std::vector<std::string> before_cell;
  std::vector<std::string> after_cell;
  std::optional<SearchPlan> search;
  /// Compare the tables before and after each cell with what the server confirmed.
  bool audit = false;
};

/// Coordinator and agents.
struct FleetPlan {
  /// How long an agent goes on without its coordinator, and the coordinator waits for an agent.
  std::chrono::seconds lease{10};
  /// Paths as seen from here.
  Security security;
};

struct ReportPlan {
  std::vector<double> percentiles = {95};
  /// A CSV of figures to stand beside ours, its path as seen from here; empty: none.
  std::string reference;
  /// Where results are kept, as seen from here.
  std::string directory = "results";
};

struct Plan {
  std::string name;
  /// Empty: the coordinator starts one agent on this machine.
  std::vector<Endpoint> agents;
  FleetPlan fleet;
  DatabasePlan database;
  /// The plan's own tables stand in the place of a data set.
  std::vector<OwnTable> tables;
  std::vector<std::shared_ptr<const OwnWorkload>> workloads;
  /// Both as the plan has them, as YAML.
  std::string own_yaml;
  DatasetPlan dataset;
  LoadPlan load;
  RunPlan run;
  ReportPlan report;

  /// Agents that share the work: one where the list is empty.
  int fleet_size() const { return agents.empty() ? 1 : static_cast<int>(agents.size()); }
};

}  // namespace sysfleet
