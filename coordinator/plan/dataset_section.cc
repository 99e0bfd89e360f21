#include <fmt/format.h>

#include <algorithm>

#include "coordinator/plan/sections.h"
#include "coordinator/plan/workload_options.h"

namespace sysfleet {
namespace {

constexpr int64_t kYugabytedbSerialCache = 1000;

void ReadStorageEngine(Section& section, std::string& engine) {
  const auto is_word_character = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  constexpr std::string_view kKey = "mysql_storage_engine";
  section.Read(kKey, engine);
  if (engine.empty() || !std::all_of(engine.begin(), engine.end(), is_word_character)) {
    const Node* const node = section.Find(kKey);
    section.AddError(kKey, node->position,
                     fmt::format("expected an engine's name, got {}", Describe(*node)));
  }
}

// Ids are 32-bit integers, or no table that can be loaded is larger.
Range TableSizes(IdType id_type) {
  if (id_type == IdType::kInt32) return {1, INT32_MAX, "ids are 32-bit integers; see id_type"};
  return {1, 1'000'000'000'000};
}

void ReadSbtest(Section& section, const DatabasePlan& database, DatasetPlan& dataset) {
  section.Read("id_type", dataset.id_type, IdTypeNames());
  section.Read("table_size", dataset.table_size, TableSizes(dataset.id_type));
  section.Read("auto_inc", dataset.auto_inc);
  section.Read("secondary", dataset.secondary);
  section.Read("create_secondary", dataset.create_secondary);
  // As the fork of sysbench does it that is made for this server.
  if (database.flavor == Flavor::kYugabytedb) dataset.index = IndexTime::kBefore;
  section.Read("index", dataset.index, IndexTimeNames());
  section.Read("create_table_options", dataset.create_table_options);
  ReadStorageEngine(section, dataset.mysql_storage_engine);
  if (database.flavor == Flavor::kYugabytedb && dataset.auto_inc) {
    dataset.serial_cache_size = kYugabytedbSerialCache;
  }
  section.Read("serial_cache_size", dataset.serial_cache_size, {0, INT32_MAX});
  section.Read("range_key_partitioning", dataset.range_key_partitioning);
  section.Read("manual_range_splitting", dataset.manual_range_splitting);
  section.Read("num_table_splits", dataset.num_table_splits, {1, 10'000});
  ReadOptions(section, dataset.random);
  section.Read("seed", dataset.seed, Range{});
}

// Whatever else a data set may have is refused here, for its tables do not have it.
void ReadBulkInsert(Section& section, DatasetPlan& dataset) {
  for (const std::string_view key :
       {"id_type", "table_size", "auto_inc", "secondary", "create_secondary", "index",
        "create_table_options", "mysql_storage_engine", "serial_cache_size",
        "range_key_partitioning", "manual_range_splitting", "num_table_splits", "seed"}) {
    if (const Node* const node = section.Find(key)) {
      section.AddError(key, node->position,
                       "the empty tables of schema bulk_insert do not have it; leave it out");
    }
  }
  dataset.table_size = 0;
  dataset.auto_inc = false;
  dataset.create_secondary = false;
}

}  // namespace

void ReadDataset(Section& top, Plan& plan) {
  DatasetPlan& dataset = plan.dataset;
  Section section = top.Sub("dataset");
  section.Read("existing", dataset.existing);
  section.Read("tables", dataset.tables, {1, 1'000'000});
  section.Read("schema", dataset.schema, DatasetSchemaNames());
  if (dataset.schema == DatasetSchema::kBulkInsert) {
    ReadBulkInsert(section, dataset);
  } else {
    ReadSbtest(section, plan.database, dataset);
  }
  section.ReportUnknown();
}

void ReadLoad(Section& top, Plan& plan) {
  LoadPlan& load = plan.load;
  Section section = top.Sub("load");
  load.threads = std::max(load.threads, plan.fleet_size());
  section.Read("threads", load.threads, {1, 1'000'000});
  section.Read("chunk_rows", load.chunk_rows, {1, 10'000'000});
  section.Read("method", load.method, LoadMethodNames());
  section.ReportUnknown();
}

}  // namespace sysfleet
