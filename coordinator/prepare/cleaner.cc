#include <string>
#include <vector>

#include "coordinator/prepare/bookkeeping.h"
#include "coordinator/prepare/jobs.h"
#include "coordinator/prepare/own_preparer.h"
#include "coordinator/prepare/staged_preparer.h"
#include "coordinator/prepare/survey.h"
#include "coordinator/prepare/text.h"
#include "coordinator/workload/dialect.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

constexpr int kDropsInFlightMax = 4;

class Cleaner final : public StagedPreparer {
 public:
  explicit Cleaner(const Plan& plan)
      : plan_(plan), survey_(plan), texts_(static_cast<size_t>(plan.dataset.tables)) {}

  PrepareProgress progress() const override {
    PrepareProgress progress;
    progress.phase = phase_;
    return progress;
  }

  std::vector<std::string> notes() const override { return LinesByTable(texts_); }

 protected:
  bool Enter(int stage) override {
    switch (stage) {
      case 0:
        AddRecordsJob(plan_.database.driver);
        return true;
      case 1:
        queue_.Add(QueryJob("columns of the tables", survey_.ColumnsSql(),
                            [this](const v1::TaskDone& done) { return survey_.OnColumns(done); }));
        return true;
      case 2:
        DropTables();
        return true;
      case 3:
        queue_.Add(QueryJob("records of loading", CountDatasetsSql(),
                            [this](const v1::TaskDone& done) { return OnRecordsLeft(done); }));
        return true;
      default:
        phase_ = PreparePhase::kDone;
        return false;
    }
  }

 private:
  void DropTables() {
    phase_ = PreparePhase::kDropping;
    queue_.SetLimit(kDropsInFlightMax);
    for (int table = 1; table <= plan_.dataset.tables; ++table) {
      std::vector<std::string> sql;
      if (survey_.table(table).exists()) sql.push_back(DropTableSql(table));
      for (std::string& statement : ForgetTableSql(TableName(table))) {
        sql.push_back(std::move(statement));
      }
      Job job = ScriptJob(TableName(table), sql);
      job.retry = Retry::kAny;
      job.on_success = [this, table](const v1::TaskDone&) {
        texts_[static_cast<size_t>(table) - 1] =
            survey_.table(table).exists() ? "dropped" : "was not there";
        return absl::OkStatus();
      };
      queue_.Add(std::move(job));
    }
  }

  // Other data sets of the same database may still be recorded, where they have more tables.
  absl::Status OnRecordsLeft(const v1::TaskDone& done) {
    const bool none = done.rows_size() == 1 && done.rows(0).fields_size() == 1 &&
                      done.rows(0).fields(0).text() == "0";
    if (none) queue_.Add(ScriptJob("records of loading", DropRecordsSql()));
    return absl::OkStatus();
  }

  const Plan plan_;
  Survey survey_;
  PreparePhase phase_ = PreparePhase::kInspecting;
  std::vector<std::string> texts_;
};

}  // namespace

std::unique_ptr<Preparer> MakeCleaner(const Plan& plan) {
  if (!plan.tables.empty()) return MakeOwnCleaner(plan);
  return std::make_unique<Cleaner>(plan);
}

}  // namespace sysfleet
