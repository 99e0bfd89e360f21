// What each built-in workload does between BEGIN and COMMIT: sysbench's statements in sysbench's
// order. Internal to this folder.
#pragma once

#include "coordinator/plan/plan.h"

namespace sysfleet {

class WorkloadBuilder;

struct BodyContext {
  const WorkloadOptions& options;
  const DatasetPlan& dataset;
  Driver driver;
};

using Body = void (*)(const BodyContext& context, WorkloadBuilder& builder);

// Reads and updates by id.
void AddReadOnly(const BodyContext& context, WorkloadBuilder& builder);
void AddWriteOnly(const BodyContext& context, WorkloadBuilder& builder);
void AddReadWrite(const BodyContext& context, WorkloadBuilder& builder);
void AddPointSelect(const BodyContext& context, WorkloadBuilder& builder);
void AddSimpleRanges(const BodyContext& context, WorkloadBuilder& builder);
void AddSumRanges(const BodyContext& context, WorkloadBuilder& builder);
void AddOrderRanges(const BodyContext& context, WorkloadBuilder& builder);
void AddIndexUpdates(const BodyContext& context, WorkloadBuilder& builder);
void AddNonIndexUpdates(const BodyContext& context, WorkloadBuilder& builder);
void AddDelete(const BodyContext& context, WorkloadBuilder& builder);

// New rows.
void AddInsert(const BodyContext& context, WorkloadBuilder& builder);
void AddMultiInsert(const BodyContext& context, WorkloadBuilder& builder);
void AddMultiValueInsert(const BodyContext& context, WorkloadBuilder& builder);
void AddBulkInsert(const BodyContext& context, WorkloadBuilder& builder);

// Reads of other kinds, and no reads at all.
void AddJoin(const BodyContext& context, WorkloadBuilder& builder);
void AddSequentialScan(const BodyContext& context, WorkloadBuilder& builder);
void AddRandomPoints(const BodyContext& context, WorkloadBuilder& builder);
void AddRandomRanges(const BodyContext& context, WorkloadBuilder& builder);
void AddSelectOne(const BodyContext& context, WorkloadBuilder& builder);
void AddIdle(const BodyContext& context, WorkloadBuilder& builder);

}  // namespace sysfleet
