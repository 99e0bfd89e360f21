#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <string>

#include "common/base/status.h"
#include "coordinator/result/store.h"
#include "tests/coordinator/result/sample.h"

namespace sysfleet {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

/// Tests run in the project's folder.
constexpr const char* kGolden = "tests/coordinator/result/golden_v1.json";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// How zlib compresses is its own affair; what comes out again is compared as a value.
std::string WithoutHdr(const std::string& json) {
  return std::regex_replace(json, std::regex(R"("hdr": "[^"]*")"), R"("hdr": "")");
}

void ExpectEqual(const Histogram& a, const Histogram& b) {
  EXPECT_EQ(a.buckets(), b.buckets());
  EXPECT_EQ(a.count(), b.count());
  EXPECT_EQ(a.min_ns(), b.min_ns());
  EXPECT_EQ(a.max_ns(), b.max_ns());
  EXPECT_EQ(a.sum_ns(), b.sum_ns());
  EXPECT_EQ(a.overflow(), b.overflow());
}

TEST(ResultJsonTest, RoundTripsExactly) {
  RunResult run = SampleRun();
  run.cells[0].total_reads = UINT64_MAX;
  run.cells[0].measured_seconds = 0.1 + 0.2;
  const std::string json = ToJson(run);
  const absl::StatusOr<RunResult> read = FromJson(json);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToJson(*read), json);
  EXPECT_EQ(read->cells[0].total_reads, UINT64_MAX);
  EXPECT_EQ(read->cells[0].measured_seconds, 0.1 + 0.2);
}

TEST(ResultJsonTest, RoundTripsAnEmptyRun) {
  const std::string json = ToJson(RunResult{});
  const absl::StatusOr<RunResult> read = FromJson(json);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToJson(*read), json);
}

TEST(ResultJsonTest, WritesTheGoldenFile) {
  EXPECT_EQ(WithoutHdr(ToJson(SampleRun())), WithoutHdr(ReadFile(kGolden)))
      << "result.json has changed. Readers of stored results depend on it: a change that they "
         "cannot pass over is a new format.";
}

TEST(ResultJsonTest, ReadsTheGoldenFile) {
  const absl::StatusOr<RunResult> read = FromJson(ReadFile(kGolden));
  ASSERT_TRUE(read.ok()) << read.status();
  const RunResult expected = SampleRun();
  EXPECT_EQ(read->run_id, "sample-20261130T190214Z");
  EXPECT_EQ(read->percentiles, (std::vector<double>{95, 99.9}));
  EXPECT_TRUE(read->interrupted);
  EXPECT_EQ(read->planned_cells, 9);
  EXPECT_EQ(read->agents[0].clock_round_trip_ms, 0.0625);
  const CellResult& cell = read->cells[0];
  EXPECT_EQ(cell.status, CellStatus::kFailed);
  EXPECT_EQ(cell.others, 8u);
  EXPECT_EQ(cell.error_kinds[0].example, "could not \"serialize\"\nretry");
  EXPECT_EQ(cell.windows[0].merged_after_ms, 12.5);
  EXPECT_EQ(cell.windows[1].percentile_ns[0], 2'999'295);
  EXPECT_EQ(cell.agents[0].start_offset_ms, -0.5);
  EXPECT_EQ(cell.agents[0].mean_ns, 3e9);
  EXPECT_EQ(cell.agents[0].load.batch_p99_ns, 60'000);
  EXPECT_EQ(cell.agents[1].load.stolen_share, std::nullopt);
  EXPECT_EQ(cell.load.busiest_reactor_share, 0.375);
  ExpectEqual(cell.latency, expected.cells[0].latency);
  ExpectEqual(cell.statements[1].latency, Histogram());
}

TEST(ResultJsonTest, GivesWhatAReaderWouldHaveToCompute) {
  const Json cell = Json::parse(ToJson(SampleRun()))["cells"][0];
  EXPECT_EQ(cell["tps"], 2);
  EXPECT_EQ(cell["qps"], 40);
  EXPECT_EQ(cell["errors_per_second"], 1.5);
  EXPECT_EQ(cell["agents"][0]["tps"], 2);
  EXPECT_EQ(cell["agents"][0]["client_share"], 0.25);
  const Json& begin = cell["statements"][0]["latency"];
  EXPECT_EQ(begin["count"], 1);
  EXPECT_EQ(begin["mean_ns"], 50'000);
  EXPECT_EQ(begin["percentile_ns"], Json({50'000, 50'000}));
}

TEST(ResultJsonTest, ReplacesWhatIsNotUtf8) {
  RunResult run = SampleRun();
  run.problem = "caf\xE9";
  const absl::StatusOr<RunResult> read = FromJson(ToJson(run));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->problem, "caf\uFFFD");
}

TEST(ResultJsonTest, PassesOverKeysItDoesNotKnow) {
  Json json = Json::parse(ToJson(SampleRun()));
  json["verdict"] = "valid";
  json["cells"][0]["verdict"] = "valid";
  EXPECT_TRUE(FromJson(json.dump()).ok());
}

TEST(ResultJsonTest, ReadsWhatOlderVersionsWrote) {
  Json json = Json::parse(ToJson(SampleRun()));
  // Before these were measured.
  Json& cell = json["cells"][0];
  for (const char* key : {"busy_share", "busiest_reactor_share", "batch_p99_ns", "batch_max_ns",
                          "cpu_cores", "stolen_share"}) {
    cell.erase(key);
  }
  for (const char* key : {"mean_ns", "busiest_reactor_share", "batch_p99_ns", "stolen_share", "tps",
                          "client_share"}) {
    cell["agents"][0].erase(key);
  }
  cell["windows"][0].erase("merged_after_ms");
  const absl::StatusOr<RunResult> read = FromJson(json.dump());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->cells[0].windows[0].merged_after_ms, std::nullopt);
  const AgentCellResult& agent = read->cells[0].agents[0];
  EXPECT_EQ(agent.load.busy_share, 0.25);
  EXPECT_EQ(agent.load.batch_max_ns, 70'000);
  EXPECT_EQ(agent.load.cpu_cores, 1.5);
  EXPECT_EQ(agent.load.busiest_reactor_share, std::nullopt);
  EXPECT_EQ(agent.load.batch_p99_ns, std::nullopt);
  EXPECT_EQ(read->cells[0].ClientShare(agent), std::nullopt);
  EXPECT_EQ(read->cells[0].load.busy_share, std::nullopt);
}

struct Mistake {
  std::string name;
  std::function<void(Json&)> change;
  std::string message;
};

class MistakeTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(MistakeTest, IsToldWithItsPlace) {
  Json json = Json::parse(ToJson(SampleRun()));
  GetParam().change(json);
  const absl::StatusOr<RunResult> read = FromJson(json.dump());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(read.status()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, MistakeTest,
    ::testing::Values(
        Mistake{"OptionalOfAnotherType", [](Json& j) { j["cells"][0]["busy_share"] = "high"; },
                "cells[0].busy_share: expected a number"},
        Mistake{"NotAnObject", [](Json& j) { j = Json::array(); }, "expected an object"},
        Mistake{"NoFormat", [](Json& j) { j.erase("format"); }, "format: missing"},
        Mistake{"FormatZero", [](Json& j) { j["format"] = 0; },
                "format: expected a whole number from 1"},
        Mistake{"NewerFormat",
                [](Json& j) {
                  j = Json::object();
                  j["format"] = 2;
                },
                "format: this result is of format 2, and this sysfleet reads formats up to 1; use "
                "the version that wrote it, or a newer one"},
        Mistake{"NumberAsText", [](Json& j) { j["cells"][0]["windows"][1]["mean_ns"] = "fast"; },
                "cells[0].windows[1].mean_ns: expected a number"},
        Mistake{"Null", [](Json& j) { j["cells"][0]["measured_seconds"] = nullptr; },
                "cells[0].measured_seconds: expected a number"},
        Mistake{"Missing", [](Json& j) { j["cells"][0].erase("threads"); },
                "cells[0].threads: missing"},
        Mistake{"Negative", [](Json& j) { j["cells"][0]["threads"] = -1; },
                "cells[0].threads: expected a whole number from 0 to 2147483647"},
        Mistake{"TooLarge", [](Json& j) { j["cells"][0]["threads"] = 2147483648u; },
                "cells[0].threads: expected a whole number from 0 to 2147483647"},
        Mistake{"Fraction", [](Json& j) { j["cells"][0]["reads"] = 1.5; },
                "cells[0].reads: expected a whole number from 0 to 18446744073709551615"},
        Mistake{"TextAsNumber", [](Json& j) { j["agents"][0]["host"] = 1; },
                "agents[0].host: expected a text"},
        Mistake{"BoolAsText", [](Json& j) { j["interrupted"] = "no"; },
                "interrupted: expected true or false"},
        Mistake{"ListAsObject", [](Json& j) { j["cells"] = Json::object(); },
                "cells: expected a list"},
        Mistake{"ObjectAsList", [](Json& j) { j["cells"][0] = Json::array(); },
                "cells[0]: expected an object"},
        Mistake{"Status", [](Json& j) { j["cells"][0]["status"] = "fine"; },
                "cells[0].status: expected one of complete, interrupted, failed"},
        Mistake{"Percentiles", [](Json& j) { j["percentiles"].push_back(50); },
                "cells[0].windows[0].percentile_ns: expected 3 numbers, one for each of "
                "percentiles"},
        Mistake{"Hdr", [](Json& j) { j["cells"][0]["latency"]["hdr"] = "AAAA"; },
                "cells[0].latency.hdr: "},
        Mistake{"HistogramCount",
                [](Json& j) { j["cells"][0]["statements"][0]["latency"]["count"] = 2; },
                "cells[0].statements[0].latency.count: expected 1, the number of values in hdr"},
        Mistake{"HistogramRange",
                [](Json& j) { j["cells"][0]["statements"][0]["latency"]["max_ns"] = 1; },
                "cells[0].statements[0].latency.max_ns: expected at least min_ns"},
        Mistake{"HistogramBucket",
                [](Json& j) {
                  j["cells"][0]["statements"][0]["latency"]["min_ns"] = 1;
                  j["cells"][0]["statements"][0]["latency"]["max_ns"] = 2;
                },
                "cells[0].statements[0].latency.hdr: expected values from min_ns to max_ns only"}),
    [](const auto& mistake) { return mistake.param.name; });

TEST(ResultJsonTest, SaysWhereItIsNotJson) {
  EXPECT_THAT(Message(FromJson("{\n  \"format\": 1,\n  oops\n}").status()),
              HasSubstr("line 3, column 3: this is not JSON"));
  EXPECT_THAT(Message(FromJson("").status()), HasSubstr("line 1, column 1: this is not JSON"));
  EXPECT_THAT(Message(FromJson("[1e999]").status()), HasSubstr("this is not JSON"));
}

TEST(ResultJsonTest, RefusesAnythingThatIsCutOff) {
  const std::string json = ToJson(SampleRun());
  for (size_t length = 0; length + 2 < json.size(); length += 7) {
    EXPECT_FALSE(FromJson(json.substr(0, length)).ok()) << length;
  }
}

TEST(ResultJsonTest, RefusesDepthWithoutHarm) {
  // Recursion would overflow the stack.
  EXPECT_FALSE(FromJson(std::string(200'000, '[') + std::string(200'000, ']')).ok());
}

TEST(ResultJsonTest, RefusesMoreThanAnyRunWrites) {
  // Memory that is never touched.
  constexpr size_t kBytes = (size_t{256} << 20) + 1;
  void* huge = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(huge, MAP_FAILED);
  EXPECT_THAT(Message(FromJson({static_cast<const char*>(huge), kBytes}).status()),
              HasSubstr("expected 256 MiB at most"));
  munmap(huge, kBytes);
}

}  // namespace
}  // namespace sysfleet
