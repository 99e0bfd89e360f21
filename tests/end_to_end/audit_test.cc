// The audit on real servers: it holds under all kinds of writes and lost connections, and finds one
// lost update.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/end_to_end/scenario.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;

constexpr int kInvalid = 5;

class AuditTest : public Scenario {
 protected:
  /// The server takes an update of k, says so, and keeps the old k; of sbtest2, once.
  void LoseOneUpdate() {
    if (is_postgresql()) {
      Ask("CREATE SEQUENCE updates");
      Ask("CREATE FUNCTION lose_one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
          "IF nextval('updates') = 10 THEN NEW.k := OLD.k; END IF; RETURN NEW; END $$");
      Ask("CREATE TRIGGER lose_one BEFORE UPDATE ON sbtest2 FOR EACH ROW "
          "EXECUTE FUNCTION lose_one()");
    } else {
      Ask("CREATE SEQUENCE updates CACHE 0");
      // A row that is not changed would not be counted as updated, so its text changes.
      Ask("CREATE TRIGGER lose_one BEFORE UPDATE ON sbtest2 FOR EACH ROW "
          "SET NEW.k = IF(NEXTVAL(updates) = 10, OLD.k, NEW.k), "
          "NEW.pad = IF(NEW.k = OLD.k, 'lost', NEW.pad)");
    }
  }

  void RepairServer() {
    if (is_postgresql()) {
      Ask("DROP TRIGGER IF EXISTS lose_one ON sbtest2");
      Ask("DROP FUNCTION IF EXISTS lose_one");
    } else {
      Ask("DROP TRIGGER IF EXISTS lose_one");
    }
    Ask("DROP SEQUENCE IF EXISTS updates");
  }
};

TEST_P(AuditTest, HoldsForEveryWorkloadThatWrites) {
  StartAgents(2);
  const ProgramOutput run =
      Coordinator("run", WritePlan("{workloads: [oltp_update_index, oltp_read_write, oltp_insert, "
                                   "oltp_multi_insert, oltp_multi_value_insert, oltp_delete, "
                                   "oltp_point_select], "
                                   "threads: 6, warmup_time: 1s, time: 1s, audit: true}"));
  EXPECT_EQ(run.exit_code, 0) << run.out;
  const RunResult result = Result();
  ASSERT_EQ(result.cells.size(), 7u);
  for (const CellResult& cell : result.cells) {
    SCOPED_TRACE(cell.workload);
    ASSERT_TRUE(cell.audit);
    EXPECT_EQ(cell.audit->tables.size(), 4u);
    EXPECT_TRUE(cell.audit->agrees());
  }
  const TableAudit& updated = result.cells[0].audit->tables[0];
  ASSERT_TRUE(updated.k_sum);
  EXPECT_GT(updated.confirmed.increments, 0u);
  EXPECT_EQ(updated.k_sum->after,
            updated.k_sum->before + static_cast<int64_t>(updated.confirmed.increments));
  const TableAudit& mixed = result.cells[1].audit->tables[0];
  EXPECT_FALSE(mixed.k_sum);
  EXPECT_GT(mixed.confirmed.increments, 0u);
  EXPECT_GT(mixed.confirmed.deleted, 0u);
  EXPECT_GT(result.cells[4].audit->tables[0].confirmed.inserted, 0u);
  EXPECT_LT(result.cells[5].audit->tables[0].rows.after,
            result.cells[5].audit->tables[0].rows.before);
}

TEST_P(AuditTest, FindsOneLostUpdate) {
  StartAgents(2);
  const std::string plan =
      WritePlan("{workloads: [oltp_update_index], threads: [2, 4], time: 2s, audit: true}");
  // The rows that another test has deleted are to be there.
  ASSERT_EQ(Coordinator("cleanup", plan).exit_code, 0);
  ASSERT_EQ(Coordinator("prepare", plan).exit_code, 0);
  LoseOneUpdate();
  const ProgramOutput run = Coordinator("run", plan);
  RepairServer();
  EXPECT_EQ(run.exit_code, kInvalid) << run.out;
  EXPECT_THAT(run.out, HasSubstr("sbtest2: the sum of k is "));
  const RunResult result = Result();
  // The other cell is executed nevertheless, and agrees.
  ASSERT_EQ(result.cells.size(), 2u);
  ASSERT_TRUE(result.cells[0].audit && result.cells[1].audit);
  EXPECT_FALSE(result.cells[0].audit->agrees());
  EXPECT_TRUE(result.cells[1].audit->agrees());
  for (const TableAudit& table : result.cells[0].audit->tables) {
    EXPECT_EQ(table.agrees(), table.table != "sbtest2") << table.table;
  }
  const AuditedFigure& lost = *result.cells[0].audit->tables[1].k_sum;
  EXPECT_EQ(lost.after, lost.expected_min - 1);
  EXPECT_EQ(lost.expected_min, lost.expected_max);
}

// Their last statements may or may not have been committed.
TEST_P(AuditTest, HoldsWhereConnectionsAreKilled) {
  StartAgents(2);
  const std::string plan =
      WritePlan("{workloads: [oltp_update_index], threads: 8, time: 6s, audit: true}");
  const std::unique_ptr<Process> run = StartRun(plan);
  ASSERT_TRUE(AwaitUpdates(*run, 8));
  const absl::Status stopped = server().Stop();
  ASSERT_TRUE(stopped.ok()) << stopped;
  const absl::Status started = server().StartAgain();
  ASSERT_TRUE(started.ok()) << started;
  EXPECT_EQ(run->Wait(), 0) << run->Output();
  const RunResult result = Result();
  ASSERT_EQ(result.cells.size(), 1u);
  EXPECT_GT(result.cells[0].errors, 0u);
  ASSERT_TRUE(result.cells[0].audit);
  EXPECT_TRUE(result.cells[0].audit->agrees());
  uint64_t unknown = 0;
  for (const TableAudit& table : result.cells[0].audit->tables) {
    unknown += table.confirmed.increments_unknown;
  }
  EXPECT_GT(unknown, 0u);
}

INSTANTIATE_TEST_SUITE_P(Families, AuditTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         FamilyName);

}  // namespace
}  // namespace sysfleet
