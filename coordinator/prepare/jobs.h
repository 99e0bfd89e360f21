// Makes jobs of the kinds that preparing consists of. Pure functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coordinator/prepare/job_queue.h"

namespace sysfleet {

/// Statements one after another. By default it is tried again only where the server aborted it.
Job ScriptJob(std::string subject, const std::vector<std::string>& sql);

/// One query without effects, which can always be tried again.
Job QueryJob(std::string subject, const std::string& sql,
             std::function<absl::Status(const v1::TaskDone&)> on_rows);

std::shared_ptr<const v1::Task> ScriptTask(const std::vector<std::string>& sql);

}  // namespace sysfleet
