// A hundred transactions on one connection are exactly the statements that sysbench's own tests
// expect of each workload.
#include <fmt/format.h>

#include "tests/end_to_end/scenario.h"

namespace sysfleet {
namespace {

class CountsTest : public Scenario {};

struct Expected {
  std::string workload;
  uint64_t reads;
  uint64_t writes;
  uint64_t others;
};

// read_write: BEGIN, 10 point selects, 4 ranges, 2 updates, DELETE and INSERT, COMMIT.
const std::vector<Expected> kExpected = {
    {"oltp_point_select", 100, 0, 0},    {"oltp_read_only", 1400, 0, 200},
    {"oltp_read_write", 1400, 400, 200}, {"oltp_write_only", 0, 400, 200},
    {"oltp_update_index", 0, 100, 0},    {"oltp_update_non_index", 0, 100, 0},
    {"oltp_insert", 0, 100, 0},          {"oltp_multi_insert", 0, 1000, 200},
    {"oltp_simple_ranges", 100, 0, 0},   {"oltp_sum_scan", 100, 0, 0},
    {"oltp_primarykey_scan", 100, 0, 0}, {"oltp_sequential_scan", 100, 0, 0},
    {"select_random_points", 100, 0, 0}, {"select_random_ranges", 100, 0, 0},
};

TEST_P(CountsTest, HundredTransactionsOnOneConnection) {
  StartAgents(1);
  std::string workloads;
  for (const Expected& expected : kExpected) {
    workloads += (workloads.empty() ? "" : ", ") + expected.workload;
  }
  const std::string plan =
      WritePlan(fmt::format("{{workloads: [{}], threads: 1, events: 100, time: 0s}}", workloads));
  const ProgramOutput run = Coordinator("run", plan);
  ASSERT_EQ(run.exit_code, 0) << run.out;
  const RunResult result = Result();
  ASSERT_EQ(result.cells.size(), kExpected.size());
  for (size_t i = 0; i < kExpected.size(); ++i) {
    const CellResult& cell = result.cells[i];
    SCOPED_TRACE(kExpected[i].workload);
    EXPECT_EQ(cell.workload, kExpected[i].workload);
    EXPECT_EQ(cell.total_transactions, 100u);
    EXPECT_EQ(cell.total_reads, kExpected[i].reads);
    EXPECT_EQ(cell.total_writes, kExpected[i].writes);
    EXPECT_EQ(cell.total_others, kExpected[i].others);
    EXPECT_EQ(cell.errors, 0u);
    EXPECT_EQ(cell.retries, 0u);
    EXPECT_EQ(cell.latency.count(), cell.transactions);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, CountsTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         FamilyName);

}  // namespace
}  // namespace sysfleet
