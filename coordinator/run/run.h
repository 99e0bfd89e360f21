// A whole run over an open fleet: prepare the data set, then every cell of the sweep, stored as
// each one ends. Belongs to one thread.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/plan/plan.h"
#include "coordinator/prepare/preparer.h"
#include "coordinator/result/result.h"
#include "coordinator/run/observer.h"
#include "coordinator/schedule/schedule.h"

namespace sysfleet {

/// The program's exit codes, by class of what happened.
enum class ExitCode : int {
  kDone = 0,
  kUsage = 2,        // the command line or the plan
  kPreflight = 3,    // found before any load: an agent, the database, the data set
  kFailed = 4,       // fleet, database or disk failed under way
  kInvalid = 5,      // all was executed, but the figures must not be believed
  kLimitMissed = 6,  // a search found nothing that keeps its limit
  kInterrupted = 130,
};

struct RunEnd {
  ExitCode code = ExitCode::kDone;
  /// What to tell; OK where all is done.
  absl::Status status;
  RunResult result;
  /// Where it is stored; empty where nothing was to be stored yet.
  std::string folder;
};

/// `run_id` is the identity that the fleet was opened with.
RunEnd ExecuteRun(Fleet& fleet, const Plan& plan, const Schedule& schedule,
                  const std::string& run_id, ExistingData existing, RunObserver& observer);

/// Only loads the data set; or reads it; or drops it.
RunEnd ExecutePrepare(Fleet& fleet, const Plan& plan, const Schedule& schedule,
                      ExistingData existing, RunObserver& observer,
                      PrepareExtent extent = PrepareExtent::kAll);
RunEnd ExecuteWarmup(Fleet& fleet, const Plan& plan, const Schedule& schedule,
                     RunObserver& observer);
RunEnd ExecuteCleanup(Fleet& fleet, const Plan& plan, const Schedule& schedule,
                      RunObserver& observer);

}  // namespace sysfleet
