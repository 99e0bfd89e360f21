#include "coordinator/plan/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/text.h"
#include "coordinator/plan/known_workloads.h"
#include "coordinator/plan/names.h"
#include "coordinator/plan/values.h"

namespace sysfleet {
namespace {

// About 20 TB; more is a slip of the finger.
constexpr int64_t kRowsMax = 100'000'000'000;

// YugabyteDB commits a COPY after this many rows.
constexpr int64_t kYugabytedbCopyRows = 20'000;

class Checker {
 public:
  Checker(const Plan& plan, const Node& root, ErrorList& errors)
      : plan_(plan), root_(root), errors_(errors) {}

  void CheckAll() {
    if (!errors_.Has("database") && !errors_.Has("database.driver")) CheckFamily();
    CheckSizes();
    CheckReach();
    CheckNeededTables();
    CheckThreads();
    CheckLabels();
    CheckEnd();
    CheckSearch();
    CheckOwn();
  }

 private:
  /// Adds an error where `path` stands, unless that value was wrong by itself.
  void Refuse(std::string_view path, std::string_view message) {
    if (!errors_.Has(path)) errors_.Add(PositionOf(root_, path), path, message);
  }

  bool IsGiven(std::string_view path) const { return FindNode(root_, path) != nullptr; }

  /// Where the item of a list stands that gave `count` values in all; the list, where it is no such
  /// list.
  Position ItemPosition(std::string_view path, size_t count, size_t index) const {
    const Node* const list = FindNode(root_, path);
    const bool fits =
        list != nullptr && list->kind == NodeKind::kList && list->items.size() == count;
    return fits ? list->items[index].position : PositionOf(root_, path);
  }

  void RefuseWorkload(size_t index, std::string_view message) {
    const std::vector<WorkloadPlan>& workloads = plan_.run.workloads;
    errors_.Add(ItemPosition("run.workloads", workloads.size(), index), "run.workloads",
                fmt::format("{}: {}", workloads[index].label, message));
  }

  /// What only one family of servers, or one server, can do.
  void CheckFamily() {
    const DatabasePlan& database = plan_.database;
    if (DriverOf(database.flavor) != database.driver) {
      Refuse("database.flavor",
             fmt::format("{} speaks driver {}, not {}", ToString(database.flavor),
                         ToString(DriverOf(database.flavor)), ToString(database.driver)));
    }
    const bool postgresql = database.driver == Driver::kPostgresql;
    if (postgresql && IsGiven("dataset.mysql_storage_engine")) {
      Refuse("dataset.mysql_storage_engine",
             "only tables of driver mysql have a storage engine; leave it out");
    }
    if (postgresql && plan_.load.method == LoadMethod::kLocalInfile) {
      Refuse("load.method", "local_infile is for driver mysql; use auto, copy or insert");
    }
    if (!postgresql && plan_.load.method == LoadMethod::kCopy) {
      Refuse("load.method", "copy is for driver postgresql; use auto, insert or local_infile");
    }
    if (postgresql && plan_.dataset.secondary) {
      Refuse("dataset.secondary", "only driver mysql has this syntax; leave it out");
    }
    CheckSequences(postgresql);
    if (!errors_.Has("database.flavor")) CheckYugabytedb();
  }

  void CheckSequences(bool postgresql) {
    // Its default depends on the flavor, which may be the mistake.
    if (plan_.dataset.serial_cache_size == 0 || !IsGiven("dataset.serial_cache_size")) return;
    if (!postgresql) {
      Refuse("dataset.serial_cache_size",
             "only tables of driver postgresql have sequences; leave it out");
    } else if (!plan_.dataset.auto_inc) {
      Refuse("dataset.serial_cache_size", "without auto_inc there is no sequence; leave it out");
    }
  }

  void CheckYugabytedb() {
    const DatasetPlan& dataset = plan_.dataset;
    if (plan_.database.flavor != Flavor::kYugabytedb) {
      if (dataset.range_key_partitioning) {
        Refuse("dataset.range_key_partitioning",
               fmt::format("only YugabyteDB has this syntax, {} does not; leave it out, or set "
                           "database.flavor to yugabytedb",
                           plan_.database.flavor == Flavor::kPostgresql
                               ? "plain PostgreSQL"
                               : ToString(plan_.database.flavor)));
      }
      return;
    }
    if (dataset.range_key_partitioning && dataset.manual_range_splitting &&
        dataset.num_table_splits > dataset.table_size) {
      Refuse("dataset.num_table_splits",
             fmt::format("{} tablets are more than the {} rows of a table",
                         Grouped(dataset.num_table_splits), Grouped(dataset.table_size)));
    }
    if (plan_.load.method != LoadMethod::kInsert && plan_.load.chunk_rows > kYugabytedbCopyRows) {
      Refuse("load.chunk_rows",
             fmt::format("YugabyteDB commits a COPY every {} rows by itself, so that a larger "
                         "chunk could be left half loaded; give at most {}",
                         Grouped(kYugabytedbCopyRows), Grouped(kYugabytedbCopyRows)));
    }
  }

  void CheckSizes() {
    const DatasetPlan& dataset = plan_.dataset;
    if (dataset.tables * dataset.table_size > kRowsMax) {
      Refuse("dataset.tables",
             fmt::format("{} tables x {} rows are {} rows; at most {} are possible",
                         Grouped(dataset.tables), Grouped(dataset.table_size),
                         Grouped(dataset.tables * dataset.table_size), Grouped(kRowsMax)));
    }
  }

  /// Ranges may pass the last row, but not the type of their column.
  void CheckReach() {
    const DatasetPlan& dataset = plan_.dataset;
    if (dataset.id_type == IdType::kInt64) return;
    const std::vector<WorkloadPlan>& workloads = plan_.run.workloads;
    for (size_t i = 0; i < workloads.size(); ++i) {
      const int64_t reach = ReachOf(workloads[i]);
      if (dataset.table_size + reach <= INT32_MAX) continue;
      RefuseWorkload(
          i, fmt::format("table_size {} and ranges of {} reach beyond the largest id, "
                         "{}; see dataset.id_type",
                         Grouped(dataset.table_size), Grouped(reach + 1), Grouped(INT32_MAX)));
    }
  }

  void CheckNeededTables() {
    if (errors_.Has("dataset") || errors_.Has("dataset.schema")) return;
    const std::vector<WorkloadPlan>& workloads = plan_.run.workloads;
    const bool bulk = plan_.dataset.schema == DatasetSchema::kBulkInsert;
    for (size_t i = 0; i < workloads.size(); ++i) {
      const KnownWorkload* const known = FindWorkload(workloads[i].use);
      if (known == nullptr || known->tables == NeededTables::kNone) continue;
      if (known->tables == NeededTables::kBulkInsert) {
        CheckBulkInsert(i);
      } else if (bulk) {
        RefuseWorkload(i,
                       "needs tables with rows, and the data set has the schema bulk_insert; "
                       "give it a plan of its own");
      } else if (known->tables == NeededTables::kSbtestAutoInc && !plan_.dataset.auto_inc) {
        RefuseWorkload(i, "has the server choose the ids, and dataset.auto_inc is off");
      }
    }
  }

  /// Each connection inserts the ids 1, 2 … into a table of its own.
  void CheckBulkInsert(size_t index) {
    const RunPlan& run = plan_.run;
    if (plan_.dataset.schema != DatasetSchema::kBulkInsert) {
      RefuseWorkload(index,
                     "needs tables of its own: give dataset.schema: bulk_insert, and "
                     "dataset.tables: as many as run.threads");
      return;
    }
    const auto bulk_inserts =
        std::count_if(run.workloads.begin(), run.workloads.end(), [](const WorkloadPlan& workload) {
          const KnownWorkload* const known = FindWorkload(workload.use);
          return known != nullptr && known->builtin == Builtin::kBulkInsert;
        });
    if (bulk_inserts > 1 || run.threads.size() > 1) {
      RefuseWorkload(index,
                     "begins with id 1 in every cell, and would meet its own rows in the second; "
                     "give one number of threads, and the workload once");
    } else if (!errors_.Has("run.threads") && run.threads.front() > plan_.dataset.tables) {
      RefuseWorkload(index,
                     fmt::format("each connection fills a table of its own: {} threads need "
                                 "dataset.tables of at least as many, not {}",
                                 Grouped(run.threads.front()), Grouped(plan_.dataset.tables)));
    }
  }

  void CheckThreads() {
    const int agents = plan_.fleet_size();
    constexpr std::string_view kFew =
        "{} is too few for {} agents: each needs a connection, so give at least {}";
    const std::vector<int>& threads = plan_.run.threads;
    for (size_t i = 0; i < threads.size(); ++i) {
      // 0 stands for a number that was wrong by itself. Without workloads nothing runs.
      if (threads[i] == 0 || threads[i] >= agents || plan_.run.workloads.empty()) continue;
      if (plan_.run.search && plan_.run.search->vary == SearchDimension::kThreads) continue;
      errors_.Add(ItemPosition("run.threads", threads.size(), i), "run.threads",
                  fmt::format(kFew, threads[i], agents, agents));
    }
    if (plan_.load.threads < agents) {
      Refuse("load.threads", fmt::format(kFew, plan_.load.threads, agents, agents));
    }
  }

  void CheckLabels() {
    const std::vector<WorkloadPlan>& workloads = plan_.run.workloads;
    for (size_t i = 0; i < workloads.size(); ++i) {
      const std::string& label = workloads[i].label;
      const auto here = workloads.begin() + static_cast<ptrdiff_t>(i);
      const bool twice = std::any_of(workloads.begin(), here, [&](const WorkloadPlan& earlier) {
        return earlier.label == label;
      });
      if (label.empty() || !twice) continue;
      errors_.Add(ItemPosition("run.workloads", workloads.size(), i), "run.workloads",
                  fmt::format("'{}' is there twice; give each a label of its own", label));
    }
  }

  void CheckEnd() {
    const RunPlan& run = plan_.run;
    if (run.warmup_time.count() != 0 && run.events != 0) {
      Refuse("run.warmup_time", "not together with events, which are counted from the start");
      return;
    }
    if (run.time.count() != 0) return;
    if (run.events == 0 && !errors_.Has("run.events")) {
      Refuse("run.time", "neither time nor events: the run would never end; give one of them");
    }
    if (run.warmup_time.count() != 0) {
      Refuse("run.warmup_time", "a warm-up needs a time behind it");
    }
  }

  /// What is not for a plan's own tables and workloads.
  void CheckOwn() {
    for (const std::string_view key :
         {"dataset.tables", "dataset.table_size", "dataset.existing"}) {
      if (!plan_.tables.empty() && IsGiven(key)) {
        Refuse(key, "the plan has tables of its own, which stand in the place of a data set");
      }
    }
    const std::vector<WorkloadPlan>& workloads = plan_.run.workloads;
    for (size_t i = 0; i < workloads.size(); ++i) {
      const KnownWorkload* const known = FindWorkload(workloads[i].use);
      const bool needs_data_set = known != nullptr && known->tables != NeededTables::kNone;
      if (!plan_.tables.empty() && needs_data_set) {
        RefuseWorkload(i,
                       "needs sysbench's tables, and the plan has tables of its own; give it a "
                       "plan of its own");
      }
      if (plan_.run.audit && workloads[i].own) {
        RefuseWorkload(i, "what it does to tables is not known to an audit; leave run.audit out");
      }
    }
  }

  void CheckSearch() {
    const RunPlan& run = plan_.run;
    if (run.warmup_min && run.time.count() == 0) {
      Refuse("run.warmup_time", "bounds need a time behind them");
    }
    if (!run.search) return;
    const bool varies_threads = run.search->vary == SearchDimension::kThreads;
    if (run.time.count() == 0) Refuse("run.search", "its cells need a time");
    if (run.repeat != 1 || run.order != SweepOrder::kWritten) {
      Refuse("run.search", "not together with repeat or order: it decides itself what comes next");
    }
    if (varies_threads && IsGiven("run.threads")) {
      Refuse("run.search", "it varies the threads; leave run.threads out");
    }
    if (!varies_threads && IsGiven("run.rate")) {
      Refuse("run.search", "it varies the rate; leave run.rate out");
    }
    if (varies_threads ? run.rates.size() > 1 : run.threads.size() > 1) {
      Refuse("run.search", "only one thing can be varied; give a single value for the other");
    }
    if (varies_threads && run.search->from < plan_.fleet_size()) {
      Refuse("run.search.from", fmt::format("{} is too few for {} agents: each needs a connection",
                                            run.search->from, plan_.fleet_size()));
    }
  }

  const Plan& plan_;
  const Node& root_;
  ErrorList& errors_;
};

}  // namespace

void CheckPlan(const Plan& plan, const Node& root, ErrorList& errors) {
  Checker(plan, root, errors).CheckAll();
}

}  // namespace sysfleet
