// Prepares, checks or drops a data set: decides what must be executed next, from what has been
// done. A pure state machine; the caller hands its tasks to the agents' connections and tells the
// results.
//
// Finished chunks are recorded in the database in the transaction of their rows, so that an
// interrupted load goes on where it stopped, and a data set that already is what the plan asks for
// is used as it is. Data that is there and different is never dropped unless `recreate` says so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "coordinator/plan/plan.h"

namespace sysfleet {

namespace v1 {
class Task;
class TaskDone;
}  // namespace v1

enum class PreparePhase : uint8_t {
  kInspecting,
  kCreating,
  kLoading,
  kIndexing,
  kVerifying,
  kDropping,  // the cleaner's
  kDone
};

/// "inspect", "create", "load", "index", "verify", "drop", "done".
std::string_view ToString(PreparePhase phase);

struct PrepareProgress {
  PreparePhase phase = PreparePhase::kInspecting;
  int64_t rows_loaded = 0;   // by this run
  int64_t rows_present = 0;  // that were there before
  int64_t rows_total = 0;
  int tables_indexed = 0;
  /// Numbers of the tables that are made, that are given rows, and whose index is built: known from
  /// kCreating on, the last one from kIndexing on where indexes come behind the rows.
  std::vector<int> created_tables;
  std::vector<int> loaded_tables;
  std::vector<int> indexed_tables;
};

enum class ExistingData : uint8_t { kKeep, kRecreate };

class Preparer {
 public:
  virtual ~Preparer() = default;

  /// The next task that may start now; nothing where others must end first or all is done. The
  /// caller executes it on any agent's connection.
  virtual std::optional<v1::Task> NextTask() = 0;

  /// A task ended, well or not.
  virtual void OnTaskDone(const v1::TaskDone& done) = 0;

  /// All is done, or nothing more will be after an error.
  virtual bool finished() const = 0;
  virtual absl::Status status() const = 0;
  virtual PrepareProgress progress() const = 0;

  /// What was found and done, a line each, for people: "sbtest1 to sbtest4: loaded before, as
  /// planned".
  virtual std::vector<std::string> notes() const = 0;

  /// The server's version, once it has been asked.
  virtual std::string server_version() const = 0;
};

/// How far to go: only empty tables, which another preparer loads later, or all of it.
enum class PrepareExtent : uint8_t { kTables, kAll };

std::unique_ptr<Preparer> MakePreparer(const Plan& plan, ExistingData existing,
                                       PrepareExtent extent = PrepareExtent::kAll);

/// For a plan whose dataset.existing is on: asks the server for its version and nothing else.
std::unique_ptr<Preparer> MakeExistingPreparer(const Plan& plan);

/// MySQL family: reads the plan's tables and their indexes, so that a run finds them in the
/// server's memory. Its progress is loaded_tables while kLoading.
std::unique_ptr<Preparer> MakeWarmer(const Plan& plan);

/// Drops what the plan's data set consists of, and the records of its loading.
std::unique_ptr<Preparer> MakeCleaner(const Plan& plan);

}  // namespace sysfleet
