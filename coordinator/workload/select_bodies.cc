#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/random/random.h"
#include "coordinator/workload/bodies.h"
#include "coordinator/workload/builder.h"
#include "coordinator/workload/generators.h"

namespace sysfleet {
namespace {

constexpr int64_t kIdleUs = 1'000'000;

/// "?, ?, ?"
std::string Repeated(std::string_view text, std::string_view separator, int count) {
  return fmt::format(
      "{}", fmt::join(std::vector<std::string_view>(static_cast<size_t>(count), text), separator));
}

v1::Generator SliceGenerator(int64_t size) {
  v1::Generator generator;
  generator.mutable_slice()->set_size(size);
  return generator;
}

}  // namespace

// sysbench chooses the other table by chance for each thread and table; here for each table, the
// same for all connections.
void AddJoin(const BodyContext& context, WorkloadBuilder& builder) {
  v1::Statement statement = builder.MakeStatement(
      "join",
      "SELECT t1.c, t2.c FROM sbtest{table} t1 JOIN sbtest{other_table} t2 ON t1.id = t2.id WHERE "
      "t1.id > ? AND t1.id < ? AND t2.id > ? AND t2.id < ?",
      /*as_text=*/false);
  statement.set_table_variable(builder.TableVariable());
  const uint32_t id = builder.VariableOf(Slot::kId);
  const uint32_t beyond = builder.VariableOf(Slot::kIdBeyond);
  for (const uint32_t variable : {id, beyond, id, beyond}) {
    WorkloadBuilder::AddParameter(IdColumnType(context.dataset), variable,
                                  *statement.mutable_parameters());
  }
  Random random(MixSeed(context.dataset.seed, 0));
  for (int table = 1; table <= context.dataset.tables; ++table) {
    statement.add_other_tables(static_cast<uint32_t>(random.Uniform(1, context.dataset.tables)));
  }
  builder.AddOnce(std::array{builder.TableVariable(), id, beyond}, statement);
}

void AddSequentialScan(const BodyContext& context, WorkloadBuilder& builder) {
  const int64_t limit = context.options.range_size;
  const uint32_t variable = builder.Variable("limit", UniformGenerator(limit, limit));
  v1::Statement statement = builder.MakeStatement(
      "sequential_scan", "SELECT c FROM sbtest{table} LIMIT ?", /*as_text=*/false);
  statement.set_table_variable(builder.TableVariable());
  WorkloadBuilder::AddParameter(v1::COLUMN_TYPE_INT32, variable, *statement.mutable_parameters());
  builder.AddOnce(std::array{builder.TableVariable(), variable}, statement);
}

void AddRandomPoints(const BodyContext& context, WorkloadBuilder& builder) {
  const int count = context.options.random_points;
  v1::Statement statement = builder.MakeStatement(
      "random_points",
      fmt::format("SELECT id, k, c, pad FROM sbtest1 WHERE k IN ({})", Repeated("?", ", ", count)),
      /*as_text=*/false);
  std::vector<uint32_t> points;
  for (int i = 1; i <= count; ++i) {
    points.push_back(
        builder.Variable(fmt::format("k{}", i), SliceGenerator(GreatestK(context.dataset))));
    WorkloadBuilder::AddParameter(v1::COLUMN_TYPE_INT32, points.back(),
                                  *statement.mutable_parameters());
  }
  builder.AddOnce(points, statement);
}

void AddRandomRanges(const BodyContext& context, WorkloadBuilder& builder) {
  const int count = context.options.number_of_ranges;
  const int64_t delta = context.options.delta;
  v1::Statement statement =
      builder.MakeStatement("random_ranges",
                            fmt::format("SELECT count(k) FROM sbtest1 WHERE {}",
                                        Repeated("k BETWEEN ? AND ?", " OR ", count)),
                            /*as_text=*/false);
  // Its end must be an INTEGER too.
  const int64_t size = std::min(GreatestK(context.dataset), INT32_MAX - delta);
  std::vector<uint32_t> ends;
  for (int i = 1; i <= count; ++i) {
    const uint32_t start = builder.Variable(fmt::format("k{}", i), SliceGenerator(size));
    v1::Generator end;
    end.mutable_offset()->set_variable(start);
    end.mutable_offset()->set_addend(delta);
    for (const uint32_t variable : {start, builder.Variable(fmt::format("k{}_end", i), end)}) {
      ends.push_back(variable);
      WorkloadBuilder::AddParameter(v1::COLUMN_TYPE_INT32, variable,
                                    *statement.mutable_parameters());
    }
  }
  builder.AddOnce(ends, statement);
}

void AddSelectOne(const BodyContext&, WorkloadBuilder& builder) {
  builder.AddOnce({}, builder.MakeStatement("select_one", "select 1", /*as_text=*/true));
}

// Really idle, where sysbench's spins on the CPU.
void AddIdle(const BodyContext&, WorkloadBuilder& builder) {
  builder.AddThinkTime(builder.Variable("idle_us", UniformGenerator(kIdleUs, kIdleUs)));
}

}  // namespace sysfleet
