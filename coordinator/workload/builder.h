// Builds a workload message of one transaction from groups of queries, sysbench's way: a group
// picks one table and then repeats its queries. Internal to this folder: brings in protobuf.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/plan/plan.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {

/// What a placeholder stands for.
enum class Slot : uint8_t {
  kId,        // of a loaded row
  kIdEnd,     // the last id of a range that begins with kId
  kUniqueId,  // of a new row
  kK,
  kC,
  kPad,
};

/// A statement with '?' as placeholders, and what they stand for.
struct Query {
  std::string_view name;
  std::string_view sql;
  std::vector<Slot> slots;
};

/// Not thread-safe.
class WorkloadBuilder {
 public:
  WorkloadBuilder(const WorkloadPlan& workload, const DatasetPlan& dataset, Driver driver);

  /// A statement without table and parameters: "begin".
  void AddPlain(std::string_view name, std::string_view sql);

  /// `count` times all queries, on a table that is drawn once. Each round draws every value that
  /// its queries need once, so that queries of a round share an id. Nothing for a count of 0.
  void AddGroup(int count, std::initializer_list<Query> queries);

  /// How many statements on tables one transaction has so far.
  int64_t queries() const { return queries_; }

  v1::Workload Build() && { return std::move(message_); }

 private:
  uint32_t StatementOf(const Query& query);
  uint32_t TableVariable();
  uint32_t VariableOf(Slot slot);
  uint32_t Variable(const char* name, const v1::Generator& generator);

  const WorkloadPlan& workload_;
  const DatasetPlan& dataset_;
  const Driver driver_;
  v1::Workload message_;
  v1::Transaction& transaction_;
  std::map<std::string, uint32_t, std::less<>> variables_;
  int64_t queries_ = 0;
};

}  // namespace sysfleet
