#include "coordinator/workload/workload.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <map>

#include "common/base/status.h"
#include "coordinator/workload/builder.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

struct Context {
  const WorkloadOptions& options;
  const DatasetPlan& dataset;
  Driver driver;
};

using Body = void (*)(const Context& context, WorkloadBuilder& builder);

struct Builtin {
  /// BEGIN and COMMIT around the body, unless skip_trx.
  bool transactional = false;
  Body body = nullptr;
};

void AddPointSelects(int count, WorkloadBuilder& builder) {
  builder.AddGroup(count,
                   {{"point_select", "SELECT c FROM sbtest{table} WHERE id=?", {Slot::kId}}});
}

void AddRange(int count, std::string_view name, std::string_view sql, WorkloadBuilder& builder) {
  builder.AddGroup(count, {{name, sql, {Slot::kId, Slot::kIdEnd}}});
}

void AddIndexUpdates(const Context& context, WorkloadBuilder& builder) {
  builder.AddGroup(context.options.index_updates,
                   {{"index_update", "UPDATE sbtest{table} SET k=k+1 WHERE id=?", {Slot::kId}}});
}

void AddNonIndexUpdates(const Context& context, WorkloadBuilder& builder) {
  builder.AddGroup(
      context.options.non_index_updates,
      {{"non_index_update", "UPDATE sbtest{table} SET c=? WHERE id=?", {Slot::kC, Slot::kId}}});
}

Query DeleteQuery() {
  return {"delete", "DELETE FROM sbtest{table} WHERE id=?", {Slot::kId}};
}

Query InsertQuery(Slot id) {
  return {"insert",
          "INSERT INTO sbtest{table} (id, k, c, pad) VALUES (?, ?, ?, ?)",
          {id, Slot::kK, Slot::kC, Slot::kPad}};
}

// The server chooses the id.
Query InsertWithoutIdQuery() {
  return {"insert",
          "INSERT INTO sbtest{table} (k, c, pad) VALUES (?, ?, ?)",
          {Slot::kK, Slot::kC, Slot::kPad}};
}

// In MySQL an id of 0 asks for the counter's next value.
Query InsertZeroIdQuery() {
  return {"insert",
          "INSERT INTO sbtest{table} (id, k, c, pad) VALUES (0, ?, ?, ?)",
          {Slot::kK, Slot::kC, Slot::kPad}};
}

void ReadOnly(const Context& context, WorkloadBuilder& builder) {
  const WorkloadOptions& options = context.options;
  AddPointSelects(options.point_selects, builder);
  if (!options.range_selects) return;
  AddRange(options.simple_ranges, "simple_range",
           "SELECT c FROM sbtest{table} WHERE id BETWEEN ? AND ?", builder);
  AddRange(options.sum_ranges, "sum_range",
           "SELECT SUM(k) FROM sbtest{table} WHERE id BETWEEN ? AND ?", builder);
  AddRange(options.order_ranges, "order_range",
           "SELECT c FROM sbtest{table} WHERE id BETWEEN ? AND ? ORDER BY c", builder);
  AddRange(options.distinct_ranges, "distinct_range",
           "SELECT DISTINCT c FROM sbtest{table} WHERE id BETWEEN ? AND ? ORDER BY c", builder);
}

void WriteOnly(const Context& context, WorkloadBuilder& builder) {
  AddIndexUpdates(context, builder);
  AddNonIndexUpdates(context, builder);
  // The row comes back under the id it was deleted from, also where the server could choose one.
  builder.AddGroup(context.options.delete_inserts, {DeleteQuery(), InsertQuery(Slot::kId)});
}

void ReadWrite(const Context& context, WorkloadBuilder& builder) {
  ReadOnly(context, builder);
  WriteOnly(context, builder);
}

// sysbench forces point_selects to 1 here.
void PointSelect(const Context&, WorkloadBuilder& builder) {
  AddPointSelects(1, builder);
}

// A delete that meets no row is not followed by an insert: the data set dwindles, as in sysbench.
void Delete(const Context&, WorkloadBuilder& builder) {
  builder.AddGroup(1, {DeleteQuery()});
}

// sysbench sends this statement as text; here it is prepared like any other.
void Insert(const Context& context, WorkloadBuilder& builder) {
  if (!context.dataset.auto_inc) {
    builder.AddGroup(1, {InsertQuery(Slot::kUniqueId)});
  } else if (context.driver == Driver::kMysql) {
    builder.AddGroup(1, {InsertZeroIdQuery()});
  } else {
    builder.AddGroup(1, {InsertWithoutIdQuery()});
  }
}

void MultiInsert(const Context& context, WorkloadBuilder& builder) {
  builder.AddGroup(
      context.options.num_rows_in_insert,
      {context.dataset.auto_inc ? InsertWithoutIdQuery() : InsertQuery(Slot::kUniqueId)});
}

const std::map<std::string, Builtin, std::less<>>& Builtins() {
  static const auto& builtins = *new std::map<std::string, Builtin, std::less<>>{
      {"oltp_delete", {false, Delete}},
      {"oltp_insert", {false, Insert}},
      {"oltp_multi_insert", {true, MultiInsert}},
      {"oltp_point_select", {false, PointSelect}},
      {"oltp_read_only", {true, ReadOnly}},
      {"oltp_read_write", {true, ReadWrite}},
      {"oltp_update_index", {false, AddIndexUpdates}},
      {"oltp_update_non_index", {false, AddNonIndexUpdates}},
      {"oltp_write_only", {true, WriteOnly}},
  };
  return builtins;
}

bool HasRanges(const v1::Workload& workload) {
  for (const v1::Variable& variable : workload.variables()) {
    if (variable.generator().has_offset()) return true;
  }
  return false;
}

// Ids are INTEGER columns; a range may pass the last row, but not the type.
absl::Status CheckRanges(const WorkloadPlan& workload, const DatasetPlan& dataset) {
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  const int64_t last_id = dataset.table_size + workload.options.range_size - 1;
  if (last_id <= kLargest) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "workload {}: ranges reach id {} (table_size {} + range_size {} - 1), beyond the largest "
      "INTEGER, {}; make table_size or range_size smaller",
      workload.label, last_id, dataset.table_size, workload.options.range_size, kLargest));
}

}  // namespace

const std::vector<std::string>& BuiltinWorkloads() {
  static const auto& names = *[] {
    auto* all = new std::vector<std::string>;
    for (const auto& [name, builtin] : Builtins()) all->push_back(name);
    return all;
  }();
  return names;
}

absl::StatusOr<v1::Workload> CompileWorkload(const WorkloadPlan& workload,
                                             const DatasetPlan& dataset, Driver driver) {
  const auto found = Builtins().find(workload.use);
  if (found == Builtins().end()) {
    return absl::InvalidArgumentError(fmt::format("workload '{}' is not built in; there are: {}",
                                                  workload.use,
                                                  fmt::join(BuiltinWorkloads(), ", ")));
  }
  const Builtin& builtin = found->second;
  const bool with_trx = builtin.transactional && !workload.options.skip_trx;

  WorkloadBuilder builder(workload, dataset, driver);
  if (with_trx) builder.AddPlain("begin", "BEGIN");
  builtin.body({workload.options, dataset, driver}, builder);
  if (with_trx) builder.AddPlain("commit", "COMMIT");
  if (builder.queries() == 0) {
    return absl::InvalidArgumentError(
        fmt::format("workload {}: its options leave no statement to execute", workload.label));
  }
  v1::Workload message = std::move(builder).Build();
  if (HasRanges(message)) SYSFLEET_RETURN_IF_ERROR(CheckRanges(workload, dataset));
  return message;
}

}  // namespace sysfleet
