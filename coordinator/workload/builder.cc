#include "coordinator/workload/builder.h"

#include <set>
#include <utility>

#include "coordinator/workload/dialect.h"
#include "coordinator/workload/generators.h"

namespace sysfleet {
namespace {

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
  *message_.add_statements() = MakeStatement(name, sql, /*as_text=*/false);
}

void WorkloadBuilder::AddOnce(std::span<const uint32_t> variables, const v1::Statement& statement) {
  for (const uint32_t variable : variables) *transaction_.add_steps() = Draw(variable);
  *transaction_.add_steps() = Execute(static_cast<uint32_t>(message_.statements_size()));
  *message_.add_statements() = statement;
  ++queries_;
}

void WorkloadBuilder::AddThinkTime(uint32_t variable) {
  *transaction_.add_steps() = Draw(variable);
  transaction_.add_steps()->set_think_us(variable);
  ++queries_;
}

v1::Statement WorkloadBuilder::MakeStatement(std::string_view name, std::string_view sql,
                                             bool as_text) const {
  v1::Statement statement;
  statement.set_name(std::string(name));
  statement.set_as_text(as_text || workload_.options.db_ps_mode == PsMode::kDisable);
  statement.set_sql(statement.as_text() ? std::string(sql)
                                        : WithPlaceholders(std::string(sql), driver_));
  return statement;
}

void WorkloadBuilder::AddParameter(v1::ColumnType type, uint32_t variable,
                                   google::protobuf::RepeatedPtrField<v1::Parameter>& parameters) {
  v1::Parameter& parameter = *parameters.Add();
  parameter.set_type(type);
  parameter.set_variable(variable);
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
  v1::Statement statement = MakeStatement(query.name, query.sql, query.as_text);
  statement.set_table_variable(TableVariable());
  statement.set_effect(query.effect);
  for (const Slot slot : query.slots) {
    AddParameter(TypeOf(slot), VariableOf(slot), *statement.mutable_parameters());
  }
  *message_.add_statements() = std::move(statement);
  return static_cast<uint32_t>(message_.statements_size()) - 1;
}

v1::ColumnType WorkloadBuilder::TypeOf(Slot slot) const {
  switch (slot) {
    case Slot::kC:
    case Slot::kPad:
      return v1::COLUMN_TYPE_TEXT;
    case Slot::kK:
      return v1::COLUMN_TYPE_INT32;
    default:
      return IdColumnType(dataset_);
  }
}

uint32_t WorkloadBuilder::TableVariable() {
  return Variable("table", UniformGenerator(1, dataset_.tables));
}

uint32_t WorkloadBuilder::VariableOf(Slot slot) {
  v1::Generator generator;
  switch (slot) {
    case Slot::kId:
      return Variable("id", IdGenerator(dataset_, workload_.options.random));
    case Slot::kIdEnd:
      generator.mutable_offset()->set_variable(VariableOf(Slot::kId));
      generator.mutable_offset()->set_addend(workload_.options.range_size - 1);
      return Variable("id_end", generator);
    case Slot::kIdBeyond:
      generator.mutable_offset()->set_variable(VariableOf(Slot::kId));
      generator.mutable_offset()->set_addend(workload_.options.range_size);
      return Variable("id_beyond", generator);
    case Slot::kUniqueId:
      generator.mutable_unique_id()->set_bits(dataset_.id_type == IdType::kInt64 ? 64 : 32);
      return Variable("new_id", generator);
    case Slot::kK:
      return Variable("k", KGenerator(dataset_, workload_.options.random));
    case Slot::kC:
      return Variable("c", PatternGenerator(kPatternC));
    case Slot::kPad:
      break;
  }
  return Variable("pad", PatternGenerator(kPatternPad));
}

uint32_t WorkloadBuilder::Variable(std::string_view name, const v1::Generator& generator) {
  const auto [entry, is_new] =
      variables_.try_emplace(std::string(name), static_cast<uint32_t>(message_.variables_size()));
  if (is_new) {
    v1::Variable& variable = *message_.add_variables();
    variable.set_name(std::string(name));
    *variable.mutable_generator() = generator;
  }
  return entry->second;
}

}  // namespace sysfleet
