#include "coordinator/workload/builder.h"

#include <set>

#include "coordinator/workload/dialect.h"
#include "coordinator/workload/generators.h"

namespace sysfleet {
namespace {

v1::ColumnType TypeOf(Slot slot) {
  return slot == Slot::kC || slot == Slot::kPad ? v1::COLUMN_TYPE_TEXT : v1::COLUMN_TYPE_INT32;
}

v1::Step Draw(uint32_t variable) {
  v1::Step step;
  step.set_draw(variable);
  return step;
}

v1::Step Execute(uint32_t statement) {
  v1::Step step;
  step.set_execute(statement);
  return step;
}

}  // namespace

WorkloadBuilder::WorkloadBuilder(const WorkloadPlan& workload, const DatasetPlan& dataset,
                                 Driver driver)
    : workload_(workload),
      dataset_(dataset),
      driver_(driver),
      transaction_(*message_.add_transactions()) {
  message_.set_name(workload.label);
  message_.set_tables(static_cast<uint32_t>(dataset.tables));
  transaction_.set_name(workload.use);
  transaction_.set_weight(1);
}

void WorkloadBuilder::AddPlain(std::string_view name, std::string_view sql) {
  *transaction_.add_steps() = Execute(static_cast<uint32_t>(message_.statements_size()));
  v1::Statement& statement = *message_.add_statements();
  statement.set_name(std::string(name));
  statement.set_sql(std::string(sql));
}

void WorkloadBuilder::AddGroup(int count, std::initializer_list<Query> queries) {
  if (count <= 0) return;
  *transaction_.add_steps() = Draw(TableVariable());
  google::protobuf::RepeatedPtrField<v1::Step> round;
  std::set<Slot> drawn;
  for (const Query& query : queries) {
    for (const Slot slot : query.slots) {
      if (drawn.insert(slot).second) *round.Add() = Draw(VariableOf(slot));
    }
    *round.Add() = Execute(StatementOf(query));
  }
  if (count == 1) {
    transaction_.mutable_steps()->MergeFrom(round);
  } else {
    v1::Repeat& repeat = *transaction_.add_steps()->mutable_repeat();
    repeat.set_count(static_cast<uint32_t>(count));
    repeat.mutable_steps()->Swap(&round);
  }
  queries_ += count * static_cast<int64_t>(queries.size());
}

uint32_t WorkloadBuilder::StatementOf(const Query& query) {
  v1::Statement& statement = *message_.add_statements();
  statement.set_name(std::string(query.name));
  statement.set_sql(WithPlaceholders(std::string(query.sql), driver_));
  statement.set_table_variable(TableVariable());
  for (const Slot slot : query.slots) {
    v1::Parameter& parameter = *statement.add_parameters();
    parameter.set_type(TypeOf(slot));
    parameter.set_variable(VariableOf(slot));
  }
  return static_cast<uint32_t>(message_.statements_size()) - 1;
}

uint32_t WorkloadBuilder::TableVariable() {
  return Variable("table", UniformGenerator(1, dataset_.tables));
}

uint32_t WorkloadBuilder::VariableOf(Slot slot) {
  v1::Generator generator;
  switch (slot) {
    case Slot::kId:
      return Variable("id", IdGenerator(dataset_));
    case Slot::kIdEnd:
      generator.mutable_offset()->set_variable(VariableOf(Slot::kId));
      generator.mutable_offset()->set_addend(workload_.options.range_size - 1);
      return Variable("id_end", generator);
    case Slot::kUniqueId:
      generator.mutable_unique_id();
      return Variable("new_id", generator);
    case Slot::kK:
      return Variable("k", IdGenerator(dataset_));
    case Slot::kC:
      return Variable("c", PatternGenerator(kPatternC));
    case Slot::kPad:
      break;
  }
  return Variable("pad", PatternGenerator(kPatternPad));
}

uint32_t WorkloadBuilder::Variable(const char* name, const v1::Generator& generator) {
  const auto [entry, is_new] =
      variables_.try_emplace(name, static_cast<uint32_t>(message_.variables_size()));
  if (is_new) {
    v1::Variable& variable = *message_.add_variables();
    variable.set_name(name);
    *variable.mutable_generator() = generator;
  }
  return entry->second;
}

}  // namespace sysfleet
