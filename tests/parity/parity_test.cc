// The packaged sysbench and `coordinator sysbench` do the same, as far as the server can tell: the
// statements and how often each was executed, the rows they touched, the tables they make, the
// distribution of the ids.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/end_to_end/fleet.h"
#include "tests/parity/server_view.h"
#include "tests/support/subprocess.h"

namespace sysfleet {
namespace {

using Arguments = std::vector<std::string>;

std::string FamilyName(const testing::TestParamInfo<ServerFamily>& info) {
  return info.param == ServerFamily::kPostgresql ? "Postgresql" : "Mariadb";
}

class ParityTest : public testing::TestWithParam<ServerFamily> {
 protected:
  void SetUp() override {
    auto started = WatchedServer::Start(GetParam());
    ASSERT_TRUE(started.ok()) << started.status();
    watched_ = *std::move(started);
  }

  bool is_postgresql() const { return GetParam() == ServerFamily::kPostgresql; }
  WatchedServer& watched() { return *watched_; }

  void Run(Arguments program, const Arguments& arguments) {
    const Arguments connection = watched_->server().SysbenchArgs();
    program.insert(program.end(), connection.begin(), connection.end());
    program.insert(program.end(), arguments.begin(), arguments.end());
    const auto output = RunProgram(program);
    ASSERT_TRUE(output.ok()) << output.status();
    ASSERT_EQ(output->exit_code, 0) << output->out << output->err;
  }
  void Theirs(const Arguments& arguments) { Run({"sysbench"}, arguments); }
  void Ours(const Arguments& arguments) { Run({CoordinatorProgram(), "sysbench"}, arguments); }

  std::string Ask(const std::string& sql) {
    const auto answer = watched_->server().Run(sql);
    EXPECT_TRUE(answer.ok()) << sql << answer.status();
    return answer.ok() ? *answer : "";
  }

 private:
  std::unique_ptr<WatchedServer> watched_;
};

Arguments Joined(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// What we ask and sysbench does not: once in a run, for the result.
void RemoveVersion(Sight& sight) {
  for (const char* text : {"SELECT version()", "select version()"}) {
    const auto found = sight.find(text);
    if (found == sight.end()) continue;
    EXPECT_EQ(found->second.calls, 1) << text;
    sight.erase(found);
  }
}

/// How many rows are met is a matter of luck; the bound is wider than four standard deviations of
/// the difference in all cases.
bool IsNear(int64_t a, int64_t b) {
  const auto more = static_cast<double>(std::max(a, b));
  return static_cast<double>(std::abs(a - b)) <= more / 10 + 8 * std::sqrt(more);
}

void ExpectSameSight(Sight ours, const Sight& theirs) {
  RemoveVersion(ours);
  for (const auto& [text, seen] : theirs) {
    SCOPED_TRACE(text);
    EXPECT_EQ(ours[text].calls, seen.calls);
    EXPECT_PRED2(IsNear, ours[text].rows, seen.rows);
  }
  for (const auto& [text, seen] : ours) {
    EXPECT_TRUE(theirs.contains(text)) << text << ": " << seen.calls << " calls of ours only";
  }
}

int64_t TotalCalls(const Sight& sight) {
  int64_t calls = 0;
  for (const auto& [text, seen] : sight) calls += seen.calls;
  return calls;
}

struct RunCase {
  Arguments arguments;
  int events = 60;
  int tables = 3;
};

// All of the packaged sysbench's workloads, and options that change what is executed.
const std::vector<RunCase> kRunCases = {
    {{"oltp_point_select"}},
    {{"oltp_point_select", "--point-selects=3"}},
    {{"oltp_read_only"}},
    {{"oltp_read_only", "--skip-trx=on"}},
    {{"oltp_read_only", "--range-selects=off"}},
    {{"oltp_read_only", "--range-size=10", "--point-selects=1", "--simple-ranges=2",
      "--sum-ranges=0", "--order-ranges=3", "--distinct-ranges=2"}},
    {{"oltp_read_write"}},
    {{"oltp_read_write", "--auto-inc=off", "--delete-inserts=3"}},
    {{"oltp_read_write", "--db-ps-mode=disable"}},
    {{"oltp_read_write", "--index-updates=4", "--non-index-updates=0", "--skip-trx=on"}},
    {{"oltp_write_only"}},
    {{"oltp_update_index"}},
    {{"oltp_update_index", "--index-updates=3"}},
    {{"oltp_update_non_index"}},
    {{"oltp_insert"}},
    {{"oltp_insert", "--auto-inc=off"}},
    {{"oltp_insert", "--db-ps-mode=disable"}},
    {{"oltp_delete"}, 20},
    {{"select_random_points"}, 60, 1},
    {{"select_random_points", "--random-points=4"}, 60, 1},
    {{"select_random_ranges"}, 60, 1},
    {{"select_random_ranges", "--number-of-ranges=3", "--delta=7"}, 60, 1},
};

TEST_P(ParityTest, ServerSeesTheSameStatements) {
  // What is deleted and inserted on the way changes how many rows are met, but not by much.
  Theirs({"oltp_read_write", "--tables=3", "--table-size=1000", "--rand-type=uniform", "prepare"});
  for (const RunCase& c : kRunCases) {
    const Arguments arguments =
        Joined(c.arguments,
               {fmt::format("--tables={}", c.tables), "--table-size=1000", "--rand-type=uniform",
                fmt::format("--events={}", c.events), "--time=0", "run"});
    SCOPED_TRACE(fmt::format("{}", fmt::join(c.arguments, " ")));
    watched().Begin();
    Theirs(arguments);
    const Sight theirs = watched().Take();
    watched().Begin();
    Ours(arguments);
    EXPECT_GE(TotalCalls(theirs), c.events);
    ExpectSameSight(watched().Take(), theirs);
    if (HasFatalFailure()) return;
  }
}

// Where an INSERT ends is a matter of its size in bytes, so the number of them says whether sizes
// are the same.
TEST_P(ParityTest, BulkInsertsAreTheSame) {
  const Arguments arguments = {"bulk_insert", "--threads=2", "--events=100000", "--time=0"};
  Sight sights[2];
  std::string rows[2];
  for (const bool is_ours : {false, true}) {
    Theirs(Joined(arguments, {"prepare"}));
    watched().Begin();
    is_ours ? Ours(Joined(arguments, {"run"})) : Theirs(Joined(arguments, {"run"}));
    sights[is_ours ? 1 : 0] = watched().Take();
    rows[is_ours ? 1 : 0] =
        Ask("SELECT sum(n), max(least) FROM (SELECT count(*) AS n, min(id) AS least FROM sbtest1 "
            "UNION ALL SELECT count(*), min(id) FROM sbtest2) AS counts;");
    Theirs(Joined(arguments, {"cleanup"}));
  }
  EXPECT_EQ(rows[0], "100000\t1\n");
  EXPECT_EQ(rows[1], rows[0]);
  for (int i = 0; i < 2; ++i) {
    int64_t inserts = 0;
    for (const auto& [text, seen] : sights[i]) {
      if (text.starts_with("INSERT INTO sbtestN")) inserts += seen.calls;
    }
    // 100,000 rows of 11 to 14 bytes in pieces of 512 KiB, for each of two connections.
    EXPECT_EQ(inserts, 4) << (i == 0 ? "theirs" : "ours");
  }
}

const std::vector<Arguments> kTableCases = {
    {"oltp_read_write"},
    {"oltp_read_write", "--auto-inc=off"},
    {"oltp_read_write", "--create-secondary=off"},
    {"bulk_insert", "--threads=3"},
};

TEST_P(ParityTest, TablesAreTheSame) {
  std::vector<Arguments> cases = kTableCases;
  if (!is_postgresql()) {
    cases.push_back({"oltp_read_write", "--mysql-storage-engine=myisam"});
    cases.push_back({"oltp_read_write", "--secondary=on"});
  }
  for (const Arguments& c : cases) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(c, " ")));
    const Arguments arguments = Joined(c, {"--tables=3", "--table-size=1234"});
    std::string schemas[2];
    std::string rows[2];
    for (const bool is_ours : {false, true}) {
      is_ours ? Ours(Joined(arguments, {"prepare"})) : Theirs(Joined(arguments, {"prepare"}));
      schemas[is_ours ? 1 : 0] = watched().Schema();
      if (c[0] != "bulk_insert") {
        rows[is_ours ? 1 : 0] =
            Ask("SELECT count(*), min(id), max(id), min(length(c)), max(length(c)), "
                "min(length(pad)), max(length(pad)), count(DISTINCT c) > 1230, min(k) > 0, "
                "max(k) < 1235 FROM sbtest3;");
      }
      is_ours ? Ours(Joined(arguments, {"cleanup"})) : Theirs(Joined(arguments, {"cleanup"}));
      EXPECT_EQ(watched().Schema().find("CREATE TABLE"), std::string::npos);
    }
    EXPECT_NE(schemas[0].find("sbtest3"), std::string::npos);
    EXPECT_EQ(schemas[1], schemas[0]);
    EXPECT_EQ(rows[1], rows[0]);
    if (HasFatalFailure()) return;
  }
}

/// The greatest distance of two samples' cumulative frequencies: Kolmogorov and Smirnov's.
double Distance(std::vector<int64_t> a, std::vector<int64_t> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double distance = 0;
  for (const std::vector<int64_t>* points : {&a, &b}) {
    for (const int64_t point : *points) {
      const auto share = [point](const std::vector<int64_t>& sample) {
        const auto end = std::upper_bound(sample.begin(), sample.end(), point);
        return static_cast<double>(end - sample.begin()) / static_cast<double>(sample.size());
      };
      distance = std::max(distance, std::abs(share(a) - share(b)));
    }
  }
  return distance;
}

/// What two samples of `size` from one distribution exceed once in a million times.
double DistanceLimit(size_t size) {
  return std::sqrt(-std::log(1e-6 / 2) / static_cast<double>(size));
}

constexpr int64_t kRows = 10'000;

struct DistributionCase {
  Arguments arguments;
  /// Of the rows, in the middle: where a special distribution has its hot range.
  int64_t hot_percent = 0;
};

const std::vector<DistributionCase> kDistributionCases = {
    {{"--rand-type=uniform"}},
    {{"--rand-type=gaussian"}},
    {{"--rand-type=special"}, 1},
    {{"--rand-type=special", "--rand-spec-pct=10", "--rand-spec-res=50"}, 10},
    {{"--rand-type=pareto"}},
    {{"--rand-type=pareto", "--rand-pareto-h=0.4"}},
};

/// Within its hot range sysbench's special distribution leaves out the lower part, ours does not:
/// what remains to be compared is how often the range is hit.
std::vector<int64_t> WithoutPlaceInHotRange(std::vector<int64_t> ids, int64_t hot_percent) {
  const int64_t half = kRows * hot_percent / 200;
  for (int64_t& id : ids) {
    if (std::abs(id - kRows / 2) <= half + 1) id = kRows / 2;
  }
  return ids;
}

TEST_P(ParityTest, IdsHaveTheSameDistribution) {
  constexpr size_t kEvents = 4000;
  Theirs({"oltp_point_select", fmt::format("--table-size={}", kRows), "prepare"});
  std::map<std::string, std::vector<int64_t>> samples;
  for (const DistributionCase& c : kDistributionCases) {
    const std::string name = fmt::format("{}", fmt::join(c.arguments, " "));
    SCOPED_TRACE(name);
    const Arguments arguments = Joined(
        c.arguments, {"oltp_point_select", fmt::format("--table-size={}", kRows), "--rand-seed=7",
                      "--time=0", fmt::format("--events={}", kEvents), "run"});
    std::vector<int64_t> ids[2];
    for (const bool is_ours : {false, true}) {
      watched().Begin();
      is_ours ? Ours(arguments) : Theirs(arguments);
      ids[is_ours ? 1 : 0] =
          WithoutPlaceInHotRange(watched().Ids("SELECT c FROM sbtest1 WHERE id="), c.hot_percent);
    }
    ASSERT_EQ(ids[0].size(), kEvents);
    ASSERT_EQ(ids[1].size(), kEvents);
    EXPECT_LT(Distance(ids[0], ids[1]), DistanceLimit(kEvents));
    samples[name] = ids[1];
  }
  // The test can tell them apart.
  for (auto a = samples.begin(); a != samples.end(); ++a) {
    for (auto b = std::next(a); b != samples.end(); ++b) {
      EXPECT_GT(Distance(a->second, b->second), DistanceLimit(kEvents)) << a->first << b->first;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, ParityTest,
                         testing::Values(ServerFamily::kPostgresql, ServerFamily::kMariadb),
                         FamilyName);

}  // namespace
}  // namespace sysfleet
