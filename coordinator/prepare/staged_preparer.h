// What preparing and cleaning have in common: stages one after another. Each stage adds jobs, and
// the next begins once all of them are done.
#pragma once

#include <string>
#include <vector>

#include "coordinator/prepare/job_queue.h"
#include "coordinator/prepare/preparer.h"

namespace sysfleet {

class StagedPreparer : public Preparer {
 public:
  std::optional<v1::Task> NextTask() override;
  void OnTaskDone(const v1::TaskDone& done) override;
  bool finished() const override;
  absl::Status status() const override { return queue_.status(); }
  std::string server_version() const override { return server_version_; }

 protected:
  /// Enters the stage with a number from 0: adds its jobs. False where there is no such stage.
  virtual bool Enter(int stage) = 0;

  /// Asked when no job waits: adds another job of the present stage, if it has one left.
  virtual bool AddMoreJobs() { return false; }

  /// Opens the records, where there are none yet, and asks for the version.
  void AddRecordsJob(Driver driver);

  /// Asks for the version alone.
  void AddVersionJob(Driver driver);

  JobQueue queue_;

 private:
  void AddVersionJob(std::string name, std::vector<std::string> sql, Driver driver);
  bool StageEnded();
  void EnterStages();

  std::string server_version_;
  int next_stage_ = 0;
  bool all_done_ = false;
};

}  // namespace sysfleet
