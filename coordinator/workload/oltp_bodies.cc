#include "coordinator/workload/bodies.h"
#include "coordinator/workload/builder.h"

namespace sysfleet {
namespace {

void AddPointSelects(int count, WorkloadBuilder& builder) {
  builder.AddGroup(count,
                   {{"point_select", "SELECT c FROM sbtest{table} WHERE id=?", {Slot::kId}}});
}

void AddRange(int count, std::string_view name, std::string_view sql, WorkloadBuilder& builder) {
  builder.AddGroup(count, {{name, sql, {Slot::kId, Slot::kIdEnd}}});
}

Query DeleteQuery() {
  return {"delete", "DELETE FROM sbtest{table} WHERE id=?", {Slot::kId}, v1::EFFECT_DELETE_ROW};
}

// The row comes back under the id it was deleted from, also where the server could choose one.
Query InsertAgainQuery() {
  return {"insert",
          "INSERT INTO sbtest{table} (id, k, c, pad) VALUES (?, ?, ?, ?)",
          {Slot::kId, Slot::kK, Slot::kC, Slot::kPad},
          v1::EFFECT_INSERT_ROW};
}

}  // namespace

void AddSimpleRanges(const BodyContext& context, WorkloadBuilder& builder) {
  AddRange(context.options.simple_ranges, "simple_range",
           "SELECT c FROM sbtest{table} WHERE id BETWEEN ? AND ?", builder);
}

void AddSumRanges(const BodyContext& context, WorkloadBuilder& builder) {
  AddRange(context.options.sum_ranges, "sum_range",
           "SELECT SUM(k) FROM sbtest{table} WHERE id BETWEEN ? AND ?", builder);
}

void AddOrderRanges(const BodyContext& context, WorkloadBuilder& builder) {
  AddRange(context.options.order_ranges, "order_range",
           "SELECT c FROM sbtest{table} WHERE id BETWEEN ? AND ? ORDER BY c", builder);
}

void AddReadOnly(const BodyContext& context, WorkloadBuilder& builder) {
  AddPointSelects(context.options.point_selects, builder);
  if (!context.options.range_selects) return;
  AddSimpleRanges(context, builder);
  AddSumRanges(context, builder);
  AddOrderRanges(context, builder);
  AddRange(context.options.distinct_ranges, "distinct_range",
           "SELECT DISTINCT c FROM sbtest{table} WHERE id BETWEEN ? AND ? ORDER BY c", builder);
}

void AddIndexUpdates(const BodyContext& context, WorkloadBuilder& builder) {
  builder.AddGroup(context.options.index_updates, {{"index_update",
                                                    "UPDATE sbtest{table} SET k=k+1 WHERE id=?",
                                                    {Slot::kId},
                                                    v1::EFFECT_INCREMENT_K}});
}

void AddNonIndexUpdates(const BodyContext& context, WorkloadBuilder& builder) {
  builder.AddGroup(
      context.options.non_index_updates,
      {{"non_index_update", "UPDATE sbtest{table} SET c=? WHERE id=?", {Slot::kC, Slot::kId}}});
}

void AddWriteOnly(const BodyContext& context, WorkloadBuilder& builder) {
  AddIndexUpdates(context, builder);
  AddNonIndexUpdates(context, builder);
  builder.AddGroup(context.options.delete_inserts, {DeleteQuery(), InsertAgainQuery()});
}

void AddReadWrite(const BodyContext& context, WorkloadBuilder& builder) {
  AddReadOnly(context, builder);
  AddWriteOnly(context, builder);
}

// sysbench forces point_selects to 1 here.
void AddPointSelect(const BodyContext&, WorkloadBuilder& builder) {
  AddPointSelects(1, builder);
}

// A delete that meets no row is not followed by an insert: the data set dwindles, as in sysbench.
void AddDelete(const BodyContext&, WorkloadBuilder& builder) {
  builder.AddGroup(1, {DeleteQuery()});
}

}  // namespace sysfleet
