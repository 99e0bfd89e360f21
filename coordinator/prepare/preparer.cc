#include "coordinator/prepare/preparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/base/status.h"
#include "common/base/text.h"
#include "coordinator/prepare/bookkeeping.h"
#include "coordinator/prepare/chunk_source.h"
#include "coordinator/prepare/jobs.h"
#include "coordinator/prepare/own_preparer.h"
#include "coordinator/prepare/spec.h"
#include "coordinator/prepare/staged_preparer.h"
#include "coordinator/prepare/survey.h"
#include "coordinator/prepare/table_action.h"
#include "coordinator/prepare/text.h"
#include "coordinator/workload/dialect.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

// Servers, distributed ones above all, change few schemas at once well.
constexpr int kCreationsInFlightMax = 4;
// Building an index and counting a table are heavy, and parallel inside many servers.
constexpr int kScansInFlightMax = 8;

class LoadingPreparer final : public StagedPreparer {
 public:
  LoadingPreparer(const Plan& plan, ExistingData existing, PrepareExtent extent)
      : plan_(plan),
        existing_(existing),
        extent_(extent),
        survey_(plan),
        chunks_(plan.load.chunk_rows) {
    progress_.rows_total = plan.dataset.tables * plan.dataset.table_size;
  }

  PrepareProgress progress() const override { return progress_; }
  std::vector<std::string> notes() const override;

 protected:
  bool Enter(int stage) override;
  bool AddMoreJobs() override;

 private:
  struct Table {
    int number = 0;
    TableAction action = TableAction::kUse;
    std::string name;
    int64_t rows_present = 0;
    // Everything of a chunk's order but its rows.
    std::shared_ptr<const v1::TableData> data;
  };

  /// The stages behind the tables' creation.
  bool EnterLoading(int stage);
  void AddSurveyJobs();
  void AddDetailJobs();
  absl::Status DecideAll();
  absl::Status CheckServer() const;
  void AddCreations();
  void PlanChunks();
  void AddChunkJob(const TableRows& chunk);
  void AddChunkCheck(const std::string& subject, const TableRows& chunk, absl::Status failure);
  void AddIndexJobs();
  void AddVerifications();
  void AddCompletions();
  std::string NoteOf(const Table& table) const;

  static bool IsCreated(const Table& table) {
    return table.action == TableAction::kCreate || table.action == TableAction::kDropAndCreate;
  }
  static bool IsLoaded(const Table& table) {
    return table.action != TableAction::kUse && table.action != TableAction::kAdopt;
  }

  const Plan plan_;
  const ExistingData existing_;
  const PrepareExtent extent_;
  Survey survey_;
  ChunkSource chunks_;
  std::vector<Table> tables_;
  PrepareProgress progress_;
};

bool LoadingPreparer::Enter(int stage) {
  switch (stage) {
    case 0:
      AddRecordsJob(plan_.database.driver);
      return true;
    case 1:
      AddSurveyJobs();
      return true;
    case 2:
      AddDetailJobs();
      return true;
    case 3:
      queue_.Fail(DecideAll());
      if (status().ok()) AddCreations();
      return true;
    default:
      if (extent_ == PrepareExtent::kAll && EnterLoading(stage)) return true;
      progress_.phase = PreparePhase::kDone;
      return false;
  }
}

bool LoadingPreparer::EnterLoading(int stage) {
  switch (stage) {
    case 4:
      PlanChunks();
      return true;
    case 5:
      AddIndexJobs();
      return true;
    case 6:
      AddVerifications();
      return true;
    case 7:
      AddCompletions();
      return true;
    default:
      return false;
  }
}

bool LoadingPreparer::AddMoreJobs() {
  if (progress_.phase != PreparePhase::kLoading) return false;
  const std::optional<TableRows> chunk = chunks_.Next();
  if (!chunk) return false;
  AddChunkJob(*chunk);
  return true;
}

void LoadingPreparer::AddSurveyJobs() {
  queue_.Add(QueryJob("columns of the tables", survey_.ColumnsSql(),
                      [this](const v1::TaskDone& done) { return survey_.OnColumns(done); }));
  queue_.Add(QueryJob("indexes of the tables", survey_.IndexesSql(),
                      [this](const v1::TaskDone& done) { return survey_.OnIndexes(done); }));
  queue_.Add(QueryJob("records of loading", SelectDatasetsSql(),
                      [this](const v1::TaskDone& done) { return survey_.OnRecords(done); }));
}

void LoadingPreparer::AddDetailJobs() {
  if (existing_ == ExistingData::kRecreate) return;
  queue_.SetLimit(kScansInFlightMax);
  for (int number = 1; number <= plan_.dataset.tables; ++number) {
    const std::string name = TableName(number);
    if (NeedsCount(plan_, survey_.table(number))) {
      queue_.Add(QueryJob(name, Survey::CountSql(number), [this, number](const v1::TaskDone& done) {
        return survey_.OnCount(number, done);
      }));
    }
    if (NeedsChunks(survey_.table(number))) {
      queue_.Add(QueryJob(name, SelectChunksSql(name), [this, number](const v1::TaskDone& done) {
        return survey_.OnChunks(number, done);
      }));
    }
  }
}

absl::Status LoadingPreparer::DecideAll() {
  absl::Status first_mismatch;
  int mismatches = 0;
  for (int number = 1; number <= plan_.dataset.tables; ++number) {
    const FoundTable& found = survey_.table(number);
    const absl::StatusOr<TableAction> action = Decide(plan_, number, found, existing_);
    if (!action.ok()) {
      if (++mismatches == 1) first_mismatch = action.status();
      continue;
    }
    Table table{number, *action, TableName(number), 0, nullptr};
    if (*action == TableAction::kResume) table.rows_present = TotalRows(found.chunks);
    if (!IsLoaded(table)) table.rows_present = plan_.dataset.table_size;
    table.data = std::make_shared<const v1::TableData>(
        TableDataOf(plan_.database, plan_.dataset, plan_.load, number));
    progress_.rows_present += table.rows_present;
    if (IsCreated(table)) progress_.created_tables.push_back(number);
    if (IsLoaded(table)) progress_.loaded_tables.push_back(number);
    tables_.push_back(std::move(table));
  }
  if (mismatches == 0) return CheckServer();
  const std::string others =
      mismatches == 1 ? "" : fmt::format(" ({} more differ)", Counted(mismatches - 1, "table"));
  return absl::FailedPreconditionError(
      fmt::format("{}{}; --recreate drops and loads it again", Message(first_mismatch), others));
}

absl::Status LoadingPreparer::CheckServer() const {
  const bool creates = std::any_of(tables_.begin(), tables_.end(), IsCreated);
  const bool yugabyte = server_version().find("-YB-") != std::string::npos;
  if (!creates || !plan_.dataset.range_key_partitioning || yugabyte) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("dataset.range_key_partitioning needs YugabyteDB, and the server is {}; leave it "
                  "out of the plan",
                  server_version()));
}

void LoadingPreparer::AddCreations() {
  progress_.phase = PreparePhase::kCreating;
  queue_.SetLimit(kCreationsInFlightMax);
  const Driver driver = plan_.database.driver;
  for (const Table& table : tables_) {
    if (!IsCreated(table)) continue;
    const bool drop = table.action == TableAction::kDropAndCreate;
    // Records come after the drop and before the creation, so that an interruption at any place
    // leaves a state that the next attempt understands.
    std::vector<std::string> sql = ForgetTableSql(table.name);
    sql.push_back(InsertDatasetSql(table.name, SpecOf(plan_), LoadState::kCreating, driver));
    for (std::string& statement : CreateTableSql(plan_.database, plan_.dataset, table.number)) {
      sql.push_back(std::move(statement));
    }
    if (plan_.dataset.index == IndexTime::kBefore) {
      const std::vector<std::string> index_sql = CreateIndexSql(plan_.dataset, table.number);
      if (!index_sql.empty()) progress_.indexed_tables.push_back(table.number);
      sql.insert(sql.end(), index_sql.begin(), index_sql.end());
    }
    sql.push_back(SetStateSql(table.name, LoadState::kLoading));
    std::vector<std::string> with_drop = {DropTableSql(table.number)};
    with_drop.insert(with_drop.end(), sql.begin(), sql.end());

    Job job = ScriptJob(table.name, drop ? with_drop : sql);
    // What is there at a second attempt is what the first one left.
    job.task_again = ScriptTask(with_drop);
    job.retry = Retry::kAny;
    queue_.Add(std::move(job));
  }
}

void LoadingPreparer::PlanChunks() {
  progress_.phase = PreparePhase::kLoading;
  for (const Table& table : tables_) {
    if (!IsLoaded(table)) continue;
    std::vector<RowRange> loaded;
    if (table.action == TableAction::kResume) loaded = survey_.table(table.number).chunks;
    chunks_.Add(table.number, MissingRows(plan_.dataset.table_size, std::move(loaded)));
  }
}

void LoadingPreparer::AddChunkJob(const TableRows& chunk) {
  const Table& table = tables_[static_cast<size_t>(chunk.table) - 1];
  auto task = std::make_shared<v1::Task>();
  v1::Chunk& order = *task->mutable_chunk();
  *order.mutable_table() = *table.data;
  order.set_first_row(chunk.rows.first);
  order.set_last_row(chunk.rows.last);
  order.set_completed_sql(InsertChunkSql(table.name, chunk.rows));

  Job job;
  job.subject = fmt::format("{} rows {} to {}", table.name, Grouped(chunk.rows.first),
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

// An attempt whose connection was lost in its COMMIT may have done its work after all; the next one
// then meets the rows and the record.
void LoadingPreparer::AddChunkCheck(const std::string& subject, const TableRows& chunk,
                                    absl::Status failure) {
  queue_.Add(QueryJob(subject, FindChunkSql(TableName(chunk.table), chunk.rows),
                      [this, chunk, failure = std::move(failure)](const v1::TaskDone& done) {
                        if (done.rows_size() == 0) {
                          // It names its subject itself already.
                          queue_.Fail(failure);
                          return absl::OkStatus();
                        }
                        progress_.rows_loaded += chunk.rows.rows();
                        return absl::OkStatus();
                      }));
}

void LoadingPreparer::AddIndexJobs() {
  progress_.phase = PreparePhase::kIndexing;
  queue_.SetLimit(kScansInFlightMax);
  for (const Table& table : tables_) {
    if (!IsLoaded(table)) continue;
    const bool has_index = table.action == TableAction::kResume
                               ? survey_.table(table.number).secondary
                               : plan_.dataset.index == IndexTime::kBefore;
    if (has_index) {
      ++progress_.tables_indexed;
      continue;
    }
    const std::vector<std::string> sql = CreateIndexSql(plan_.dataset, table.number);
    if (sql.empty()) continue;
    progress_.indexed_tables.push_back(table.number);
    Job job = ScriptJob(fmt::format("{} index", table.name), sql);
    job.on_success = [this](const v1::TaskDone&) {
      ++progress_.tables_indexed;
      return absl::OkStatus();
    };
    queue_.Add(std::move(job));
  }
}

void LoadingPreparer::AddVerifications() {
  progress_.phase = PreparePhase::kVerifying;
  queue_.SetLimit(kScansInFlightMax);
  for (const Table& table : tables_) {
    if (!IsLoaded(table)) continue;
    std::vector<std::string> sql = SetCounterSql(plan_.database, plan_.dataset, table.number);
    sql.push_back(fmt::format("SELECT count(*) FROM {}", table.name));
    Job job = ScriptJob(table.name, sql);
    job.retry = Retry::kAny;
    job.on_success = [this](const v1::TaskDone& done) {
      const std::string wanted = std::to_string(plan_.dataset.table_size);
      const std::string found = done.rows_size() == 1 && done.rows(0).fields_size() == 1
                                    ? done.rows(0).fields(0).text()
                                    : "no number";
      if (found == wanted) return absl::OkStatus();
      return absl::DataLossError(fmt::format(
          "has {} rows after loading, and {} were loaded; --recreate drops and loads it again",
          found, wanted));
    };
    queue_.Add(std::move(job));
  }
}

void LoadingPreparer::AddCompletions() {
  queue_.SetLimit(kCreationsInFlightMax);
  for (const Table& table : tables_) {
    std::vector<std::string> sql;
    if (IsLoaded(table)) {
      sql = {SetStateSql(table.name, LoadState::kComplete), ForgetChunksSql(table.name)};
    } else if (table.action == TableAction::kAdopt) {
      sql = ForgetTableSql(table.name);
      sql.push_back(InsertDatasetSql(table.name, AdoptedSpecOf(plan_), LoadState::kComplete,
                                     plan_.database.driver));
    } else {
      continue;
    }
    Job job = ScriptJob(table.name, sql);
    job.retry = Retry::kAny;
    queue_.Add(std::move(job));
  }
}

std::vector<std::string> LoadingPreparer::notes() const {
  std::vector<std::string> texts(static_cast<size_t>(plan_.dataset.tables));
  for (const Table& table : tables_) texts[static_cast<size_t>(table.number) - 1] = NoteOf(table);
  return LinesByTable(texts);
}

std::string LoadingPreparer::NoteOf(const Table& table) const {
  switch (table.action) {
    case TableAction::kUse:
      return "loaded before, as planned";
    case TableAction::kAdopt:
      return fmt::format("not loaded by sysfleet, but with the planned {}; used as it is",
                         Counted(plan_.dataset.table_size, "row"));
    case TableAction::kResume:
      return fmt::format("{} of {} were loaded before", Grouped(table.rows_present),
                         Counted(plan_.dataset.table_size, "row"));
    case TableAction::kCreate:
      return "new";
    case TableAction::kDropAndCreate:
      return "dropped and made new";
  }
  return "";
}

}  // namespace

std::unique_ptr<Preparer> MakePreparer(const Plan& plan, ExistingData existing,
                                       PrepareExtent extent) {
  if (!plan.tables.empty()) return MakeOwnPreparer(plan, existing, extent);
  return std::make_unique<LoadingPreparer>(plan, existing, extent);
}

}  // namespace sysfleet
