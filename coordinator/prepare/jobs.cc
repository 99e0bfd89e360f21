#include "coordinator/prepare/jobs.h"

#include <utility>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {

std::shared_ptr<const v1::Task> ScriptTask(const std::vector<std::string>& sql) {
  auto task = std::make_shared<v1::Task>();
  for (const std::string& statement : sql) task->mutable_script()->add_sql(statement);
  return task;
}

Job ScriptJob(std::string subject, const std::vector<std::string>& sql) {
  Job job;
  job.subject = std::move(subject);
  job.task = ScriptTask(sql);
  return job;
}

Job QueryJob(std::string subject, const std::string& sql,
             std::function<absl::Status(const v1::TaskDone&)> on_rows) {
  Job job = ScriptJob(std::move(subject), {sql});
  job.retry = Retry::kAny;
  job.on_success = std::move(on_rows);
  return job;
}

}  // namespace sysfleet
