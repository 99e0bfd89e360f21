#include "tests/coordinator/prepare/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {

Course Drive(Preparer& preparer, FakeDatabase& database, const Fleet& fleet) {
  constexpr int kTurnsMax = 100'000;
  Random random(fleet.seed);
  std::vector<v1::Task> in_flight;
  Course course;
  for (int turn = 0; !preparer.finished(); ++turn) {
    if (turn == kTurnsMax) {
      ADD_FAILURE() << "no end";
      return course;
    }
    while (in_flight.size() < static_cast<size_t>(fleet.connections)) {
      std::optional<v1::Task> task = preparer.NextTask();
      if (!task) break;
      in_flight.push_back(*std::move(task));
    }
    const PreparePhase phase = preparer.progress().phase;
    if (course.phases.empty() || course.phases.back() != phase) course.phases.push_back(phase);
    if (phase == PreparePhase::kCreating) {
      course.creations_in_flight_max =
          std::max(course.creations_in_flight_max, static_cast<int>(in_flight.size()));
    }
    if (in_flight.empty()) {
      if (preparer.finished()) break;
      ADD_FAILURE() << "nothing under way, and not finished";
      return course;
    }
    const auto ending =
        static_cast<size_t>(random.Uniform(0, static_cast<int64_t>(in_flight.size()) - 1));
    const v1::Task task = in_flight[ending];
    in_flight.erase(in_flight.begin() + static_cast<std::ptrdiff_t>(ending));
    const auto fault = fleet.fault ? fleet.fault(task, random) : FakeDatabase::Fault::kNone;
    preparer.OnTaskDone(database.Execute(task, fault));
  }
  EXPECT_TRUE(in_flight.empty());
  EXPECT_FALSE(preparer.NextTask().has_value());
  return course;
}

Plan SmallPlan(Driver driver) {
  Plan plan;
  plan.database.driver = driver;
  plan.database.flavor = driver == Driver::kMysql ? Flavor::kMariadb : Flavor::kPostgresql;
  plan.dataset.tables = 3;
  plan.dataset.table_size = 100;
  plan.load.chunk_rows = 7;
  return plan;
}

}  // namespace sysfleet
