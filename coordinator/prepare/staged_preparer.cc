#include "coordinator/prepare/staged_preparer.h"

#include "coordinator/prepare/bookkeeping.h"
#include "coordinator/prepare/jobs.h"
#include "coordinator/prepare/survey.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {

std::string_view ToString(PreparePhase phase) {
  switch (phase) {
    case PreparePhase::kInspecting:
      return "inspect";
    case PreparePhase::kCreating:
      return "create";
    case PreparePhase::kLoading:
      return "load";
    case PreparePhase::kIndexing:
      return "index";
    case PreparePhase::kVerifying:
      return "verify";
    case PreparePhase::kDropping:
      return "drop";
    case PreparePhase::kDone:
      return "done";
  }
  return "";
}

std::optional<v1::Task> StagedPreparer::NextTask() {
  EnterStages();
  return queue_.Next();
}

void StagedPreparer::OnTaskDone(const v1::TaskDone& done) {
  queue_.OnDone(done);
  EnterStages();
}

bool StagedPreparer::finished() const {
  return all_done_ || (!queue_.status().ok() && !queue_.in_flight());
}

bool StagedPreparer::StageEnded() {
  return !queue_.waiting() && !AddMoreJobs() && !queue_.in_flight();
}

void StagedPreparer::EnterStages() {
  while (!all_done_ && queue_.status().ok() && StageEnded()) {
    queue_.SetLimit(JobQueue::kNoLimit);
    all_done_ = !Enter(next_stage_++);
  }
}

void StagedPreparer::AddRecordsJob(Driver driver) {
  AddVersionJob("records of loading", CreateRecordsSql(), driver);
}

void StagedPreparer::AddVersionJob(Driver driver) {
  AddVersionJob("version", {}, driver);
}

void StagedPreparer::AddVersionJob(std::string name, std::vector<std::string> sql, Driver driver) {
  sql.push_back("SELECT version()");
  Job job = ScriptJob(std::move(name), sql);
  job.retry = Retry::kAny;
  job.on_success = [this, driver](const v1::TaskDone& done) {
    if (done.rows_size() != 1 || done.rows(0).fields_size() != 1) {
      return absl::InternalError("the server did not tell its version");
    }
    server_version_ = ShortVersion(done.rows(0).fields(0).text(), driver);
    return absl::OkStatus();
  };
  queue_.Add(std::move(job));
}

}  // namespace sysfleet
