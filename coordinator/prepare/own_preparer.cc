#include "coordinator/prepare/own_preparer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <utility>

#include "common/base/status.h"
#include "common/base/text.h"
#include "coordinator/prepare/answer.h"
#include "coordinator/prepare/bookkeeping.h"
#include "coordinator/prepare/chunk_source.h"
#include "coordinator/prepare/jobs.h"
#include "coordinator/prepare/staged_preparer.h"
#include "coordinator/workload/own_tables.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

constexpr int kCreationsInFlightMax = 4;
constexpr int kScansInFlightMax = 8;

struct Table {
  const OwnTable* plan = nullptr;
  int number = 0;  // from 1
  std::string spec;
  std::shared_ptr<const v1::TableData> data;
  bool exists = false;
  std::string recorded_spec;
  std::optional<LoadState> state;
  std::vector<RowRange> loaded;

  bool is_complete() const { return state == LoadState::kComplete; }
  bool is_resumed() const { return state == LoadState::kLoading; }
};

std::vector<Table> TablesOf(const Plan& plan) {
  std::vector<Table> tables;
  for (const OwnTable& own : plan.tables) {
    Table& table = tables.emplace_back();
    table.plan = &own;
    table.number = static_cast<int>(tables.size());
    v1::TableData data = OwnTableData(plan, own, table.number);
    // How it is loaded does not change what it holds.
    v1::TableData content = data;
    content.clear_method();
    const std::string bytes = content.SerializeAsString();
    table.spec = fmt::format(
        "own {} rows {} {:08x}", own.rows, CreateOwnTableSql(own),
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
    table.data = std::make_shared<const v1::TableData>(std::move(data));
  }
  return tables;
}

std::string ExistsSql(const Plan& plan) {
  std::vector<std::string> names;
  for (const OwnTable& table : plan.tables) names.push_back("'" + table.name + "'");
  return fmt::format(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = {} AND "
      "table_name IN ({})",
      plan.database.driver == Driver::kPostgresql ? "current_schema()" : "database()",
      fmt::join(names, ", "));
}

Table* Find(std::vector<Table>& tables, const std::string& name) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.plan->name == name; });
  return found == tables.end() ? nullptr : &*found;
}

absl::Status NoteExisting(std::vector<Table>& tables, const v1::TaskDone& done) {
  SYSFLEET_RETURN_IF_ERROR(CheckWidth(done, 1));
  for (const v1::Row& row : done.rows()) {
    if (Table* const table = Find(tables, row.fields(0).text())) table->exists = true;
  }
  return absl::OkStatus();
}

class OwnPreparer final : public StagedPreparer {
 public:
  OwnPreparer(const Plan& plan, ExistingData existing, PrepareExtent extent)
      : plan_(plan),
        existing_(existing),
        extent_(extent),
        tables_(TablesOf(plan_)),
        chunks_(plan.load.chunk_rows) {
    for (const Table& table : tables_) progress_.rows_total += table.plan->rows;
  }

  PrepareProgress progress() const override { return progress_; }

  std::vector<std::string> notes() const override {
    std::vector<std::string> lines;
    for (const Table& table : tables_) {
      lines.push_back(fmt::format("{}: {}, {}", table.plan->name, Counted(table.plan->rows, "row"),
                                  table.is_complete() ? "loaded before, as planned"
                                  : table.is_resumed()
                                      ? Grouped(TotalRows(table.loaded)) + " were loaded before"
                                      : "new"));
    }
    return lines;
  }

 protected:
  bool Enter(int stage) override {
    switch (stage) {
      case 0:
        AddRecordsJob(plan_.database.driver);
        return true;
      case 1:
        AddSurvey();
        return true;
      case 2:
        AddDetails();
        return true;
      case 3:
        queue_.Fail(Decide());
        if (status().ok()) AddCreations();
        return true;
      default:
        if (extent_ == PrepareExtent::kAll && EnterLoading(stage)) return true;
        progress_.phase = PreparePhase::kDone;
        return false;
    }
  }

  bool AddMoreJobs() override {
    if (progress_.phase != PreparePhase::kLoading) return false;
    const std::optional<TableRows> chunk = chunks_.Next();
    if (!chunk) return false;
    AddChunkJob(*chunk);
    return true;
  }

 private:
  bool EnterLoading(int stage) {
    switch (stage) {
      case 4:
        progress_.phase = PreparePhase::kLoading;
        for (const Table& table : tables_) {
          if (!table.is_complete()) {
            chunks_.Add(table.number, MissingRows(table.plan->rows, table.loaded));
          }
        }
        return true;
      case 5:
        AddIndexes();
        return true;
      case 6:
        AddVerifications();
        return true;
      default:
        return false;
    }
  }

  void AddSurvey() {
    queue_.Add(QueryJob("tables", ExistsSql(plan_),
                        [this](const v1::TaskDone& done) { return NoteExisting(tables_, done); }));
    queue_.Add(QueryJob("records of loading", SelectDatasetsSql(),
                        [this](const v1::TaskDone& done) { return OnRecords(done); }));
  }

  absl::Status OnRecords(const v1::TaskDone& done) {
    SYSFLEET_RETURN_IF_ERROR(CheckWidth(done, 3));
    for (const v1::Row& row : done.rows()) {
      Table* const table = Find(tables_, row.fields(0).text());
      if (table == nullptr) continue;
      table->recorded_spec = row.fields(1).text();
      table->state = ParseLoadState(row.fields(2).text());
    }
    return absl::OkStatus();
  }

  void AddDetails() {
    for (Table& table : tables_) {
      if (!table.exists || existing_ == ExistingData::kRecreate) {
        table.state.reset();
      } else if (table.is_resumed()) {
        queue_.Add(QueryJob(table.plan->name, SelectChunksSql(table.plan->name),
                            [&table](const v1::TaskDone& done) { return OnChunks(table, done); }));
      }
    }
  }

  static absl::Status OnChunks(Table& table, const v1::TaskDone& done) {
    SYSFLEET_RETURN_IF_ERROR(CheckWidth(done, 2));
    for (const v1::Row& row : done.rows()) {
      const auto first = ToInteger(row.fields(0).text());
      const auto last = ToInteger(row.fields(1).text());
      if (!first.ok()) return first.status();
      if (!last.ok()) return last.status();
      table.loaded.push_back({*first, *last});
    }
    return absl::OkStatus();
  }

  absl::Status Decide() const {
    if (existing_ == ExistingData::kRecreate) return absl::OkStatus();
    for (const Table& table : tables_) {
      if (!table.exists || table.state == LoadState::kCreating) continue;
      const bool is_ours = table.state.has_value();
      if (is_ours && table.recorded_spec == table.spec) continue;
      return absl::FailedPreconditionError(
          fmt::format("{} {}; --recreate drops and loads it again", table.plan->name,
                      is_ours ? "was loaded with other rows or columns than the plan's"
                              : "is there, and sysfleet did not load it"));
    }
    return absl::OkStatus();
  }

  void AddCreations() {
    progress_.phase = PreparePhase::kCreating;
    queue_.SetLimit(kCreationsInFlightMax);
    for (Table& table : tables_) {
      if (table.is_complete() || table.is_resumed()) {
        progress_.rows_present += table.is_complete() ? table.plan->rows : TotalRows(table.loaded);
        continue;
      }
      const std::string& name = table.plan->name;
      std::vector<std::string> sql = ForgetTableSql(name);
      sql.insert(sql.begin(), fmt::format("DROP TABLE IF EXISTS {}", name));
      sql.push_back(
          InsertDatasetSql(name, table.spec, LoadState::kCreating, plan_.database.driver));
      sql.push_back(CreateOwnTableSql(*table.plan));
      sql.push_back(SetStateSql(name, LoadState::kLoading));
      Job job = ScriptJob(name, sql);
      job.retry = Retry::kAny;
      queue_.Add(std::move(job));
    }
  }

  void AddChunkJob(const TableRows& chunk) {
    const Table& table = tables_[static_cast<size_t>(chunk.table) - 1];
    auto task = std::make_shared<v1::Task>();
    v1::Chunk& order = *task->mutable_chunk();
    *order.mutable_table() = *table.data;
    order.set_first_row(chunk.rows.first);
    order.set_last_row(chunk.rows.last);
    order.set_completed_sql(InsertChunkSql(table.plan->name, chunk.rows));
    Job job;
    job.subject = fmt::format("{} rows {} to {}", table.plan->name, Grouped(chunk.rows.first),
                              Grouped(chunk.rows.last));
    job.task = std::move(task);
    job.retry = Retry::kAny;
    job.on_success = [this, chunk](const v1::TaskDone&) {
      progress_.rows_loaded += chunk.rows.rows();
      return absl::OkStatus();
    };
    job.on_failure = [this, chunk, subject = job.subject](const absl::Status& failure) {
      if (!absl::IsAlreadyExists(failure)) return false;
      AddChunkCheck(subject, chunk, Annotate(failure, subject));
      return true;
    };
    queue_.Add(std::move(job));
  }

  // An attempt whose connection was lost in its COMMIT may have done its work after all.
  void AddChunkCheck(const std::string& subject, const TableRows& chunk, absl::Status failure) {
    const std::string& name = tables_[static_cast<size_t>(chunk.table) - 1].plan->name;
    queue_.Add(QueryJob(subject, FindChunkSql(name, chunk.rows),
                        [this, chunk, failure = std::move(failure)](const v1::TaskDone& done) {
                          if (done.rows_size() == 0) {
                            queue_.Fail(failure);
                          } else {
                            progress_.rows_loaded += chunk.rows.rows();
                          }
                          return absl::OkStatus();
                        }));
  }

  void AddIndexes() {
    progress_.phase = PreparePhase::kIndexing;
    queue_.SetLimit(kScansInFlightMax);
    for (const Table& table : tables_) {
      if (table.is_complete()) continue;
      const std::vector<std::string> sql = CreateOwnIndexesSql(*table.plan);
      for (size_t i = 0; i < sql.size(); ++i) {
        Job job = ScriptJob(table.plan->name + " index", {sql[i]});
        // An attempt before this one may have built it.
        job.on_failure = [](const absl::Status& failure) { return absl::IsAlreadyExists(failure); };
        queue_.Add(std::move(job));
      }
    }
  }

  void AddVerifications() {
    progress_.phase = PreparePhase::kVerifying;
    queue_.SetLimit(kScansInFlightMax);
    for (const Table& table : tables_) {
      if (table.is_complete()) continue;
      queue_.Add(
          QueryJob(table.plan->name, fmt::format("SELECT count(*) FROM {}", table.plan->name),
                   [this, &table](const v1::TaskDone& done) { return OnCount(table, done); }));
    }
  }

  absl::Status OnCount(const Table& table, const v1::TaskDone& done) {
    SYSFLEET_RETURN_IF_ERROR(CheckWidth(done, 1));
    const std::string wanted = std::to_string(table.plan->rows);
    if (done.rows_size() != 1 || done.rows(0).fields(0).text() != wanted) {
      return absl::DataLossError(fmt::format(
          "has another number of rows after loading than the {} that were loaded; --recreate drops "
          "and loads it again",
          Counted(table.plan->rows, "row")));
    }
    Job job = ScriptJob(table.plan->name, {SetStateSql(table.plan->name, LoadState::kComplete),
                                           ForgetChunksSql(table.plan->name)});
    job.retry = Retry::kAny;
    queue_.Add(std::move(job));
    return absl::OkStatus();
  }

  const Plan plan_;
  const ExistingData existing_;
  const PrepareExtent extent_;
  std::vector<Table> tables_;
  ChunkSource chunks_;
  PrepareProgress progress_;
};

class OwnCleaner final : public StagedPreparer {
 public:
  explicit OwnCleaner(const Plan& plan) : plan_(plan), tables_(TablesOf(plan_)) {}

  PrepareProgress progress() const override {
    PrepareProgress progress;
    progress.phase = phase_;
    return progress;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> lines;
    for (const Table& table : tables_) {
      lines.push_back(
          fmt::format("{}: {}", table.plan->name, table.exists ? "dropped" : "was not there"));
    }
    return lines;
  }

 protected:
  bool Enter(int stage) override {
    switch (stage) {
      case 0:
        AddRecordsJob(plan_.database.driver);
        return true;
      case 1:
        queue_.Add(QueryJob("tables", ExistsSql(plan_), [this](const v1::TaskDone& done) {
          return NoteExisting(tables_, done);
        }));
        return true;
      case 2:
        phase_ = PreparePhase::kDropping;
        queue_.SetLimit(kCreationsInFlightMax);
        for (const Table& table : tables_) AddDrop(table);
        return true;
      default:
        phase_ = PreparePhase::kDone;
        return false;
    }
  }

 private:
  void AddDrop(const Table& table) {
    std::vector<std::string> sql = ForgetTableSql(table.plan->name);
    sql.insert(sql.begin(), fmt::format("DROP TABLE IF EXISTS {}", table.plan->name));
    Job job = ScriptJob(table.plan->name, sql);
    job.retry = Retry::kAny;
    queue_.Add(std::move(job));
  }

  const Plan plan_;
  std::vector<Table> tables_;
  PreparePhase phase_ = PreparePhase::kInspecting;
};

}  // namespace

std::unique_ptr<Preparer> MakeOwnPreparer(const Plan& plan, ExistingData existing,
                                          PrepareExtent extent) {
  return std::make_unique<OwnPreparer>(plan, existing, extent);
}

std::unique_ptr<Preparer> MakeOwnCleaner(const Plan& plan) {
  return std::make_unique<OwnCleaner>(plan);
}

}  // namespace sysfleet
