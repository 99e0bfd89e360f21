// Executes one task of preparing on a connection: a script, or a chunk of rows in a transaction.
#pragma once

#include "agent/database/connection.h"
#include "agent/database/factory.h"
#include "agent/engine/task.h"
#include "common/base/endpoint.h"

namespace sysfleet {

namespace v1 {
class Task;
class TaskDone;
}  // namespace v1

/// Everything must outlive the coroutine. Whatever happens, the connection is left outside of any
/// transaction, or lost: then the answer's error is UNAVAILABLE.
Task<v1::TaskDone> RunTask(Connection& connection, DriverFamily family, const Endpoint& node,
                           const v1::Task& task);

}  // namespace sysfleet
