// Drives a preparer against a fake database as a fleet would: many tasks under way, which begin in
// their order, but end in any. Everything follows from a seed.
#pragma once

#include <functional>
#include <vector>

#include "common/random/random.h"
#include "coordinator/prepare/preparer.h"
#include "tests/coordinator/prepare/fake_database.h"

namespace sysfleet {

struct Fleet {
  int connections = 4;
  uint64_t seed = 1;
  /// What breaks a task off.
  std::function<FakeDatabase::Fault(const v1::Task&, Random&)> fault;
};

struct Course {
  /// In the order of their phases' beginnings.
  std::vector<PreparePhase> phases;
  /// How many were under way at once while tables were created.
  int creations_in_flight_max = 0;
};

/// Until the preparer has finished. Fails the test where it goes on for ever or stands still.
Course Drive(Preparer& preparer, FakeDatabase& database, const Fleet& fleet);

/// A plan of 3 tables of 100 rows in chunks of 7.
Plan SmallPlan(Driver driver);

}  // namespace sysfleet
