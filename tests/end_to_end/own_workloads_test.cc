// The example plans of own workloads, made small, on real servers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/end_to_end/scenario.h"

namespace sysfleet {
namespace {

using testing::HasSubstr;
using testing::IsSubsetOf;
using testing::UnorderedElementsAre;

constexpr int kInvalid = 5;

class OwnWorkloadsTest : public Scenario {
 protected:
  void SetUp() override {
    Scenario::SetUp();
    StartAgents(2);
  }

  /// Options that lead an example to this test's server and agents, for 2 s with 8 connections.
  std::vector<std::string> Options() {
    std::vector<std::string> options;
    const auto set = [&options](const std::string& key, const std::string& value) {
      for (std::string& option : Set(key, value)) options.push_back(std::move(option));
    };
    set("agents", fmt::format("[{}, {}]", fleet().addresses()[0], fleet().addresses()[1]));
    set("database",
        fmt::format("{{driver: {}, nodes: \"{}\", name: sbtest, user: sbtest, password: "
                    "\"{}\"}}",
                    is_postgresql() ? "postgresql" : "mysql", ToString(server().endpoint()),
                    server().password()));
    set("load", "{threads: 4, chunk_rows: 3000}");
    set("run.threads", "8");
    set("run.warmup_time", "0");
    set("run.time", "2s");
    set("report.directory", results().string());
    return options;
  }

  ProgramOutput Run(const std::string& command, const std::string& example,
                    const std::vector<std::string>& more) {
    std::vector<std::string> options = Options();
    options.insert(options.end(), more.begin(), more.end());
    return Coordinator(command, SourceFolder() / "deploy" / "plans" / example, options);
  }

  static std::vector<std::string> NamesOf(const std::vector<OperationResult>& operations) {
    std::vector<std::string> names;
    for (const OperationResult& operation : operations) {
      if (operation.latency.count() > 0) names.push_back(operation.name);
    }
    return names;
  }

  const std::vector<std::string> small_bank_ = {
      "--set", "tables.accounts.rows=10k",
      "--set", "workloads.bank.variables.sender={uniform: [1, 10k]}",
      "--set", "workloads.bank.variables.receiver={zipfian: [1, 10k]}",
      "--set", "workloads.bank.variables.account={uniform: [1, 10k]}",
      "--set", "run.ignore_errors=all"};
};

TEST_P(OwnWorkloadsTest, BankTransferKeepsItsInvariant) {
  const ProgramOutput run = Run("run", "bank-transfer.yaml", small_bank_);
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_EQ(Ask("SELECT count(*) FROM accounts"), "10000");
  EXPECT_EQ(Ask("SELECT sum(balance) FROM accounts"), "1000000000");
  const RunResult result = Result();
  ASSERT_EQ(result.cells.size(), 1u);
  const CellResult& cell = result.cells[0];
  ASSERT_EQ(cell.invariants.size(), 1u);
  EXPECT_TRUE(cell.invariants[0].holds());
  EXPECT_EQ(cell.invariants[0].after, "1000000000");
  EXPECT_GT(cell.total_rolled_back, 0u);
  EXPECT_THAT(NamesOf(cell.transaction_kinds),
              UnorderedElementsAre("transfer", "statement_of_account"));
  // Nine of ten are transfers; each one that committed is recorded.
  const double transfers = static_cast<double>(cell.transaction_kinds[0].latency.count());
  EXPECT_NEAR(transfers / static_cast<double>(cell.latency.count()), 0.9, 0.05);
  EXPECT_GE(std::stoull(Ask("SELECT count(*) FROM transfers")),
            cell.transaction_kinds[0].latency.count());

  // It is there for the next one, which finds a bank that loses money.
  const ProgramOutput again = Run("prepare", "bank-transfer.yaml", small_bank_);
  EXPECT_EQ(again.exit_code, 0) << again.out;
  EXPECT_THAT(again.out, HasSubstr("accounts: 10,000 rows, loaded before, as planned"));
  std::filesystem::remove_all(results());
  std::vector<std::string> losing = small_bank_;
  losing.insert(losing.end(), {"--set",
                               "workloads.bank.transactions.transfer.steps="
                               "[\"UPDATE accounts SET balance = balance - :amount WHERE id "
                               "= :sender\", \"SELECT :transfer, :receiver\"]"});
  const ProgramOutput lossy = Run("run", "bank-transfer.yaml", losing);
  EXPECT_EQ(lossy.exit_code, kInvalid) << lossy.out;
  EXPECT_THAT(lossy.out, HasSubstr("SELECT SUM(balance) FROM accounts was 1000000000 and is "));

  const ProgramOutput cleanup = Run("cleanup", "bank-transfer.yaml", small_bank_);
  EXPECT_EQ(cleanup.exit_code, 0) << cleanup.out;
  EXPECT_THAT(cleanup.out, HasSubstr("accounts: dropped"));
}

TEST_P(OwnWorkloadsTest, KeyValueReadsAndUpdates) {
  const ProgramOutput run =
      Run("run", "key-value.yaml",
          {"--set", "tables.kv.rows=10k", "--set",
           "workloads.key_value.variables.key={scrambled_zipfian: [1, 10k]}"});
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_EQ(Ask("SELECT count(*) FROM kv WHERE length(v) BETWEEN 80 AND 100"), "10000");
  const CellResult cell = Result().cells.at(0);
  EXPECT_THAT(NamesOf(cell.transaction_kinds), UnorderedElementsAre("read", "update"));
  EXPECT_EQ(cell.reads, cell.transaction_kinds[0].latency.count());
  EXPECT_EQ(Run("cleanup", "key-value.yaml", {}).exit_code, 0);
}

TEST_P(OwnWorkloadsTest, OrderMixUsesWhatItReads) {
  const std::vector<std::string> small = {
      "--set", "tables.customer.rows=3000",
      "--set", "tables.stock.rows=1000",
      "--set", "workloads.order_mix.variables.customer={uniform: [1, 3000]}",
      "--set", "workloads.order_mix.variables.item={zipfian: [1, 1000]}"};
  const ProgramOutput run = Run("run", "order-mix.yaml", small);
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_EQ(Ask("SELECT count(*) FROM customer WHERE district = (id - 1) % 100 + 1"), "3000");
  const CellResult cell = Result().cells.at(0);
  EXPECT_THAT(NamesOf(cell.transaction_kinds),
              IsSubsetOf({"new_order", "payment", "order_status", "delivery", "stock_level"}));
  // The number that a district gave is the order's, and each order has ten lines.
  EXPECT_EQ(
      Ask("SELECT count(*) FROM orders o JOIN district d ON d.id = o.district WHERE o.number >= "
          "d.next_order"),
      "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM orders"), Ask("SELECT sum(next_order - 1) FROM district"));
  EXPECT_EQ(Ask("SELECT 10 * count(*) FROM orders"), Ask("SELECT count(*) FROM order_line"));
  EXPECT_EQ(Run("cleanup", "order-mix.yaml", small).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, OwnWorkloadsTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         FamilyName);

}  // namespace
}  // namespace sysfleet
