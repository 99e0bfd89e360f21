// Builds a workload message of one transaction from groups of queries, sysbench's way: a group
// picks one table and then repeats its queries. Internal to this folder: brings in protobuf.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
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
  kIdBeyond,  // the first id behind a range of range_size that begins behind kId
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
  v1::Effect effect = v1::EFFECT_NONE;
  /// sysbench never prepares it.
  bool as_text = false;
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

  /// Draws `variables` and executes a statement made by MakeStatement.
  void AddOnce(std::span<const uint32_t> variables, const v1::Statement& statement);

  /// Does nothing for as many microseconds as the variable says.
  void AddThinkTime(uint32_t variable);

  /// `sql` has '?' as placeholders; sent as text where the statement or the plan has it so.
  v1::Statement MakeStatement(std::string_view name, std::string_view sql, bool as_text) const;

  /// The variable of this name, made if there is none yet.
  uint32_t Variable(std::string_view name, const v1::Generator& generator);
  uint32_t VariableOf(Slot slot);
  /// Uniform over all tables.
  uint32_t TableVariable();

  static void AddParameter(v1::ColumnType type, uint32_t variable,
                           google::protobuf::RepeatedPtrField<v1::Parameter>& parameters);

  /// How many steps other than BEGIN and COMMIT one transaction has so far.
  int64_t queries() const { return queries_; }

  v1::Workload Build() && { return std::move(message_); }

 private:
  uint32_t StatementOf(const Query& query);
  v1::ColumnType TypeOf(Slot slot) const;

  const WorkloadPlan& workload_;
  const DatasetPlan& dataset_;
  const Driver driver_;
  v1::Workload message_;
  v1::Transaction& transaction_;
  std::map<std::string, uint32_t, std::less<>> variables_;
  int64_t queries_ = 0;
};

}  // namespace sysfleet
