// Three agents with 256 connections together: what they report is whole, in step, and what the
// database counted itself.
#include <fmt/format.h>

#include <sstream>

#include "tests/end_to_end/scenario.h"

namespace sysfleet {
namespace {

constexpr int kConnections = 256;
constexpr int kSeconds = 4;

/// What the server has counted since it started.
struct Counters {
  int64_t commits = 0;
  int64_t selects = 0;  // 0 for PostgreSQL, which does not count them
};

class FleetTest : public Scenario {
 protected:
  /// Reads the counters once all connections of agents are gone, so that all that these did has
  /// been counted. What the reading itself adds to the counters is taken off.
  Counters Count() {
    const std::string others = is_postgresql()
                                   ? "(SELECT count(*) - 1 FROM pg_stat_activity "
                                     "WHERE backend_type = 'client backend')"
                                   : "(SELECT count(*) - 1 FROM information_schema.processlist "
                                     "WHERE user = 'sbtest')";
    const std::string commits = is_postgresql() ? "(SELECT xact_commit FROM pg_stat_database "
                                                  "WHERE datname = current_database())"
                                                : StatusOf("Com_commit");
    const std::string selects = is_postgresql() ? "0" : StatusOf("Com_select");
    const std::string sql = fmt::format("SELECT {}, {}, {};", others, commits, selects);
    int64_t connections = -1;
    Counters counters;
    EXPECT_TRUE(Eventually([&] {
      std::istringstream answer(Ask(sql));
      answer >> connections >> counters.commits >> counters.selects;
      ++readings_;
      return connections == 0;
    }));
    counters.commits -= (readings_ - 1) * cost_.commits;
    counters.selects -= (readings_ - 1) * cost_.selects;
    return counters;
  }

  /// Finds out what one reading adds.
  void CalibrateCount() {
    const Counters before = Count();
    const int64_t readings_before = readings_;
    const Counters after = Count();
    const int64_t readings = readings_ - readings_before;
    cost_ = {.commits = (after.commits - before.commits) / readings,
             .selects = (after.selects - before.selects) / readings};
  }

 private:
  static std::string StatusOf(std::string_view name) {
    return fmt::format(
        "(SELECT variable_value FROM information_schema.global_status WHERE variable_name = '{}')",
        name);
  }

  int64_t readings_ = 0;
  Counters cost_;
};

TEST_P(FleetTest, ReportsAllWindowsInStep) {
  StartAgents(3);
  const std::string plan =
      WritePlan(fmt::format("{{workloads: [oltp_read_write], threads: {}, warmup_time: 1s, "
                            "time: {}s, ignore_errors: all}}",
                            kConnections, kSeconds));
  const ProgramOutput run = Coordinator("run", plan);
  ASSERT_EQ(run.exit_code, 0) << run.out;
  const RunResult result = Result();
  ASSERT_EQ(result.agents.size(), 3u);
  ASSERT_EQ(result.cells.size(), 1u);
  const CellResult& cell = result.cells[0];
  EXPECT_EQ(cell.status, CellStatus::kComplete) << cell.problem;

  ASSERT_EQ(cell.windows.size(), static_cast<size_t>(1 + kSeconds));
  uint64_t transactions = 0;
  for (const WindowResult& window : cell.windows) {
    EXPECT_FALSE(window.gap) << "second " << window.second;
    EXPECT_EQ(window.measured, window.second >= 1);
    if (window.measured) transactions += window.transactions;
  }
  EXPECT_EQ(transactions, cell.transactions);
  EXPECT_GT(cell.transactions, 0u);
  EXPECT_EQ(cell.latency.count(), cell.transactions);
  EXPECT_GE(cell.total_transactions, cell.transactions);

  ASSERT_EQ(cell.agents.size(), 3u);
  EXPECT_EQ(cell.agents[0].connections, 86);
  EXPECT_EQ(cell.agents[1].connections, 85);
  EXPECT_EQ(cell.agents[2].connections, 85);
  uint64_t of_agents = 0;
  for (const AgentCellResult& agent : cell.agents) of_agents += agent.transactions;
  EXPECT_EQ(of_agents, cell.transactions);
  // Loopback gives well under 5 ms where the programs have cores; this machine may have fewer.
  EXPECT_LT(cell.start_spread_ms, 1000.0);
}

void ExpectPlausible(const ClientLoad& load) {
  EXPECT_GT(load.busy_share.value_or(0), 0);
  EXPECT_LE(load.busy_share.value_or(2), 1);
  // Windows differ a little in length.
  EXPECT_GE(load.busiest_reactor_share.value_or(0), load.busy_share.value_or(1) - 0.02);
  EXPECT_LE(load.busiest_reactor_share.value_or(2), 1);
  EXPECT_GT(load.batch_p99_ns.value_or(0), 0);
  EXPECT_GE(load.batch_max_ns.value_or(0), load.batch_p99_ns.value_or(0));
  EXPECT_GT(load.cpu_cores.value_or(0), 0);
  EXPECT_GE(load.stolen_share.value_or(-1), 0);
}

TEST_P(FleetTest, TellsHowHardTheClientsWorked) {
  StartAgents(3);
  const ProgramOutput run =
      Coordinator("run", WritePlan("{workloads: [oltp_point_select], threads: 12, time: 2s}"));
  ASSERT_EQ(run.exit_code, 0) << run.out;
  const RunResult result = Result();
  ASSERT_EQ(result.cells.size(), 1u);
  const CellResult& cell = result.cells[0];
  ASSERT_EQ(cell.agents.size(), 3u);
  ExpectPlausible(cell.load);
  double cpu_cores = 0;
  double tps = 0;
  for (const AgentCellResult& agent : cell.agents) {
    SCOPED_TRACE(agent.address);
    ExpectPlausible(agent.load);
    EXPECT_LE(agent.load.busiest_reactor_share, cell.load.busiest_reactor_share);
    EXPECT_LE(agent.load.batch_max_ns, cell.load.batch_max_ns);
    EXPECT_TRUE(cell.ClientShare(agent).has_value());
    cpu_cores += agent.load.cpu_cores.value_or(0);
    tps += cell.Tps(agent);
  }
  EXPECT_NEAR(cell.load.cpu_cores.value_or(0), cpu_cores, 1e-9);
  EXPECT_NEAR(cell.Tps(), tps, 1e-6);
  // The agents share this machine's cores.
  EXPECT_LE(cpu_cores, 1.2 * result.agents[0].cores);
}

// Connecting and preparing statements cost transactions too, the same for each run: so it is the
// difference of two runs that must agree.
TEST_P(FleetTest, AgreesWithTheDatabasesOwnCounters) {
  StartAgents(3);
  ASSERT_EQ(
      Coordinator("prepare", WritePlan("{workloads: [oltp_read_write], threads: 3}")).exit_code, 0);
  if (is_postgresql()) Ask("ALTER SYSTEM SET autovacuum = off;");
  if (is_postgresql()) Ask("SELECT pg_reload_conf();");
  CalibrateCount();
  std::vector<Counters> counted = {Count()};
  std::vector<CellResult> cells;
  for (const int seconds : {1, 3}) {
    std::filesystem::remove_all(results());
    const ProgramOutput run = Coordinator(
        "run", WritePlan(fmt::format("{{workloads: [oltp_read_write], threads: {}, time: {}s, "
                                     "ignore_errors: all}}",
                                     kConnections, seconds)));
    ASSERT_EQ(run.exit_code, 0) << run.out;
    counted.push_back(Count());
    const RunResult result = Result();
    ASSERT_EQ(result.cells.size(), 1u);
    cells.push_back(result.cells[0]);
    ASSERT_EQ(cells.back().reconnects, 0u);
  }
  const auto growth = [&](int64_t Counters::*counter) {
    return counted[2].*counter - 2 * counted[1].*counter + counted[0].*counter;
  };
  const auto more = [&](uint64_t CellResult::*total) {
    return static_cast<int64_t>(cells[1].*total) - static_cast<int64_t>(cells[0].*total);
  };
  EXPECT_GT(more(&CellResult::total_transactions), 0);
  // Of a transaction that was cut off at the end nobody knows whether its COMMIT got through.
  const int64_t commits = growth(&Counters::commits) - more(&CellResult::total_transactions);
  EXPECT_GE(commits, -static_cast<int64_t>(cells[0].unfinished));
  EXPECT_LE(commits, static_cast<int64_t>(cells[1].unfinished));
  if (!is_postgresql()) {
    const int64_t selects = growth(&Counters::selects) - more(&CellResult::total_reads);
    EXPECT_GE(selects, -static_cast<int64_t>(cells[0].unfinished));
    EXPECT_LE(selects, static_cast<int64_t>(cells[1].unfinished));
  }
}

// Little's law. What is missing is time between transactions, in which the client waits for a core
// of its own: transactions are long here, so that it stays small beside them, and as the machine
// may be busy with something else, one run of three must show it. No run may show more than there
// are.
TEST_P(FleetTest, TpsTimesMeanLatencyIsTheNumberOfConnections) {
  constexpr double kThreads = 8;
  StartAgents(1);
  const std::string plan = WritePlan(
      "{workloads: [oltp_read_write], point_selects: 100, threads: 8, time: 4s, "
      "ignore_errors: all}");
  double connections = 0;
  for (int run_number = 0; run_number < 3 && connections < kThreads * 0.98; ++run_number) {
    std::filesystem::remove_all(results());
    const ProgramOutput run = Coordinator("run", plan);
    ASSERT_EQ(run.exit_code, 0) << run.out;
    const RunResult result = Result();
    ASSERT_EQ(result.cells.size(), 1u);
    const CellResult& cell = result.cells[0];
    connections = cell.Tps() * cell.latency.MeanNs() / 1e9;
    EXPECT_LE(connections, kThreads * 1.02);
  }
  EXPECT_GE(connections, kThreads * 0.98);
}

INSTANTIATE_TEST_SUITE_P(Families, FleetTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         FamilyName);

}  // namespace
}  // namespace sysfleet
