#include "coordinator/prepare/spec.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "coordinator/plan/names.h"
#include "coordinator/plan/workload_options.h"

namespace sysfleet {
namespace {

constexpr std::string_view kAdopted = "adopted";
constexpr const char* kSchema = "schema";

nlohmann::json AdoptedSpec(const Plan& plan) {
  if (plan.dataset.schema == DatasetSchema::kBulkInsert) {
    return {{kAdopted, true}, {kSchema, ToString(plan.dataset.schema)}};
  }
  return {{kAdopted, true},
          {"table_size", plan.dataset.table_size},
          {"auto_inc", plan.dataset.auto_inc},
          {"create_secondary", plan.dataset.create_secondary}};
}

// What has its usual value is left out: data sets that earlier versions loaded do not have it.
void AddUnusual(const DatasetPlan& dataset, nlohmann::json& spec) {
  if (dataset.id_type != IdType::kInt32) spec["id_type"] = ToString(dataset.id_type);
  if (dataset.secondary) spec["secondary"] = true;
  if (dataset.random.type == RandType::kUniform) return;
  for (const RandomOption& option : RandomOptionList()) {
    spec[std::string(option.name)] = OptionText(option, dataset.random);
  }
}

nlohmann::json Spec(const Plan& plan) {
  const DatasetPlan& dataset = plan.dataset;
  if (dataset.schema == DatasetSchema::kBulkInsert) return {{kSchema, ToString(dataset.schema)}};
  nlohmann::json spec = {{"table_size", dataset.table_size},
                         {"seed", dataset.seed},
                         {"auto_inc", dataset.auto_inc},
                         {"create_secondary", dataset.create_secondary},
                         {"create_table_options", dataset.create_table_options}};
  AddUnusual(dataset, spec);
  if (plan.database.driver == Driver::kMysql) {
    spec["mysql_storage_engine"] = dataset.mysql_storage_engine;
    return spec;
  }
  spec["serial_cache_size"] = dataset.serial_cache_size;
  spec["range_key_partitioning"] = dataset.range_key_partitioning;
  if (dataset.range_key_partitioning) {
    spec["table_splits"] = dataset.manual_range_splitting ? dataset.num_table_splits : 0;
  }
  return spec;
}

std::string SchemaOf(const nlohmann::json& spec) {
  return spec.contains(kSchema) ? spec[kSchema].dump() : "\"sbtest\"";
}

std::string ValueOf(const nlohmann::json& spec, const std::string& key) {
  const auto found = spec.find(key);
  return found == spec.end() ? "absent" : found->dump();
}

}  // namespace

std::string SpecOf(const Plan& plan) {
  return Spec(plan).dump();
}

std::string AdoptedSpecOf(const Plan& plan) {
  return AdoptedSpec(plan).dump();
}

std::string DifferenceFromPlan(std::string_view recorded, const Plan& plan) {
  const auto found = nlohmann::json::parse(recorded, nullptr, /*allow_exceptions=*/false);
  if (!found.is_object()) return fmt::format("its record cannot be read: {}", recorded);
  const nlohmann::json wanted = found.contains(kAdopted) ? AdoptedSpec(plan) : Spec(plan);
  // Nothing else is comparable then.
  if (SchemaOf(found) != SchemaOf(wanted)) {
    return fmt::format("schema is {}, the plan wants {}", SchemaOf(found), SchemaOf(wanted));
  }
  std::set<std::string> keys;
  for (const auto& item : found.items()) keys.insert(item.key());
  for (const auto& item : wanted.items()) keys.insert(item.key());
  std::string difference;
  for (const std::string& key : keys) {
    const std::string is = ValueOf(found, key);
    const std::string planned = ValueOf(wanted, key);
    if (is == planned) continue;
    difference += fmt::format("{}{} is {}, the plan wants {}", difference.empty() ? "" : "; ", key,
                              is, planned);
  }
  return difference;
}

}  // namespace sysfleet
