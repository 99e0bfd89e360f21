#include "coordinator/run/cell_machine.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace sysfleet {
namespace {

using Action = CellAction;
using Phase = CellPhase;

const absl::Status kOk;
const absl::Status kBroken = absl::UnavailableError("broken");

TEST(CellMachine, StartsOnceAllAreArmedAndEndsOnceAllAreDone) {
  CellMachine machine(3);
  EXPECT_EQ(machine.OnArmed(0, kOk), Action::kNone);
  EXPECT_EQ(machine.OnArmed(2, kOk), Action::kNone);
  EXPECT_EQ(machine.phase(), Phase::kArming);
  EXPECT_EQ(machine.OnArmed(1, kOk), Action::kStart);
  EXPECT_EQ(machine.phase(), Phase::kRunning);
  EXPECT_EQ(machine.OnDone(1, kOk), Action::kNone);
  EXPECT_EQ(machine.OnDone(0, kOk), Action::kNone);
  EXPECT_EQ(machine.phase(), Phase::kRunning);
  EXPECT_EQ(machine.OnDone(2, kOk), Action::kNone);
  EXPECT_EQ(machine.phase(), Phase::kEnded);
  EXPECT_TRUE(machine.status().ok());
  EXPECT_TRUE(machine.unfinished().empty());
}

TEST(CellMachine, StopsAllWhereOneCannotBeArmed) {
  CellMachine machine(2);
  EXPECT_EQ(machine.OnArmed(0, kOk), Action::kNone);
  EXPECT_EQ(machine.OnArmed(1, kBroken), Action::kStop);
  EXPECT_EQ(machine.OnDone(1, kBroken), Action::kNone);
  EXPECT_EQ(machine.phase(), Phase::kStopping);
  EXPECT_EQ(machine.OnDone(0, kOk), Action::kNone);
  EXPECT_EQ(machine.phase(), Phase::kEnded);
  EXPECT_EQ(machine.status(), kBroken);
}

TEST(CellMachine, DoesNotStartWhatWasArmedAfterTheStop) {
  CellMachine machine(2);
  EXPECT_EQ(machine.OnInterrupt(), Action::kStop);
  EXPECT_EQ(machine.OnArmed(0, kOk), Action::kNone);
  EXPECT_EQ(machine.OnArmed(1, kOk), Action::kNone);
  EXPECT_EQ(machine.phase(), Phase::kStopping);
  EXPECT_TRUE(absl::IsCancelled(machine.status()));
}

TEST(CellMachine, StopsTheOthersWhereAnAgentIsLost) {
  CellMachine machine(2);
  machine.OnArmed(0, kOk);
  machine.OnArmed(1, kOk);
  EXPECT_EQ(machine.OnLost(0, kBroken), Action::kStop);
  EXPECT_EQ(machine.OnDone(1, kOk), Action::kNone);
  EXPECT_EQ(machine.phase(), Phase::kEnded);
  EXPECT_EQ(machine.status(), kBroken);
}

TEST(CellMachine, HasNobodyToStopWhereTheOnlyAgentIsLost) {
  CellMachine machine(1);
  machine.OnArmed(0, kOk);
  EXPECT_EQ(machine.OnLost(0, kBroken), Action::kNone);
  EXPECT_EQ(machine.phase(), Phase::kEnded);
}

TEST(CellMachine, GivesUpWhoDoesNotStop) {
  CellMachine machine(2);
  machine.OnArmed(0, kOk);
  machine.OnArmed(1, kOk);
  EXPECT_EQ(machine.OnDeadline(), Action::kStop);
  machine.OnDone(0, kOk);
  EXPECT_EQ(machine.OnDeadline(), Action::kNone);
  EXPECT_EQ(machine.phase(), Phase::kEnded);
  EXPECT_EQ(machine.unfinished(), std::vector<int>{1});
  EXPECT_TRUE(absl::IsDeadlineExceeded(machine.status()));
}

TEST(CellMachine, KeepsTheFirstReason) {
  CellMachine machine(2);
  EXPECT_EQ(machine.OnError(kBroken), Action::kStop);
  EXPECT_EQ(machine.OnInterrupt(), Action::kNone);
  machine.OnDone(0, absl::AbortedError("cut off"));
  EXPECT_EQ(machine.status(), kBroken);
}

// Whatever happens in whatever order: one start at most, one stop at most, and two deadlines end
// it.
TEST(CellMachine, AlwaysEnds) {
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    std::mt19937 random(seed);
    const int agents = 1 + static_cast<int>(random() % 4);
    CellMachine machine(agents);
    int starts = 0;
    int stops = 0;
    const auto count = [&](Action action) {
      starts += action == Action::kStart ? 1 : 0;
      stops += action == Action::kStop ? 1 : 0;
    };
    for (int step = 0; step < 12 && machine.phase() != Phase::kEnded; ++step) {
      const int agent = static_cast<int>(random() % static_cast<uint32_t>(agents));
      const absl::Status status = random() % 4 == 0 ? kBroken : kOk;
      switch (random() % 5) {
        case 0:
        case 1:
          count(machine.OnArmed(agent, status));
          break;
        case 2:
          count(machine.OnDone(agent, status));
          break;
        case 3:
          count(machine.OnLost(agent, kBroken));
          break;
        default:
          count(machine.OnInterrupt());
      }
    }
    for (int i = 0; i < 2 && machine.phase() != Phase::kEnded; ++i) count(machine.OnDeadline());
    EXPECT_EQ(machine.phase(), Phase::kEnded) << "seed " << seed;
    EXPECT_LE(starts, 1) << "seed " << seed;
    EXPECT_LE(stops, 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace sysfleet
