#include "coordinator/workload/own_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "coordinator/workload/dialect.h"
#include "coordinator/workload/generators.h"
#include "coordinator/workload/own_generator.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

using Kind = OwnGenerator::Kind;
using Steps = google::protobuf::RepeatedPtrField<v1::Step>;

// What is drawn at random keeps its value from the place where it is drawn: the start of the
// transaction, or of the round of a repetition where nothing outside of it uses the variable. A
// formula is calculated just before each statement that uses it, from what its variables are then.
class Compiler {
 public:
  Compiler(const WorkloadPlan& workload, Driver driver)
      : own_(*workload.own), options_(workload.options), driver_(driver) {
    message_.set_name(workload.label);
    for (const OwnVariable& variable : own_.variables) AddVariable(variable);
    for (const OwnStatement& statement : own_.statements) AddStatement(statement);
    for (const OwnTransaction& transaction : own_.transactions) AddTransaction(transaction);
  }

  v1::Workload Take() && { return std::move(message_); }

 private:
  void AddVariable(const OwnVariable& variable) {
    places_[variable.name] = static_cast<uint32_t>(message_.variables_size());
    v1::Variable& message = *message_.add_variables();
    message.set_name(variable.name);
    *message.mutable_generator() =
        ToMessage(variable.generator, [this](const std::string& name) { return places_.at(name); });
  }

  void AddStatement(const OwnStatement& statement) {
    v1::Statement& message = *message_.add_statements();
    message.set_name(statement.name);
    const bool as_text = options_.db_ps_mode == PsMode::kDisable || !statement.captures.empty();
    message.set_as_text(as_text);
    message.set_sql(as_text ? statement.sql : WithPlaceholders(statement.sql, driver_));
    for (const std::string& name : statement.arguments) {
      const bool is_text = VariableOf(name).generator.is_text();
      v1::Parameter& parameter = *message.add_parameters();
      parameter.set_variable(places_.at(name));
      parameter.set_type(is_text ? v1::COLUMN_TYPE_TEXT : v1::COLUMN_TYPE_INT64);
    }
    for (size_t i = 0; i < statement.captures.size(); ++i) {
      v1::Capture& capture = *message.add_captures();
      capture.set_column(static_cast<uint32_t>(i));
      capture.set_variable(places_.at(statement.captures[i]));
    }
  }

  void AddTransaction(const OwnTransaction& transaction) {
    v1::Transaction& message = *message_.add_transactions();
    message.set_name(transaction.name);
    message.set_weight(static_cast<uint32_t>(transaction.weight));
    std::set<std::string> drawn;
    AddDraws(DirectlyUsed(transaction.steps), drawn, *message.mutable_steps());
    AddSteps(transaction.steps, drawn, *message.mutable_steps());
  }

  /// In the order in which they are defined; those in `drawn` are left out, and added to it.
  void AddDraws(const std::set<std::string>& names, std::set<std::string>& drawn, Steps& steps) {
    for (const OwnVariable& variable : own_.variables) {
      const Kind kind = variable.generator.kind;
      if (kind == Kind::kFormula || kind == Kind::kCaptured) continue;
      if (!names.contains(variable.name) || !drawn.insert(variable.name).second) continue;
      steps.Add()->set_draw(places_.at(variable.name));
    }
  }

  void AddSteps(const std::vector<OwnStep>& from, const std::set<std::string>& drawn,
                Steps& steps) {
    for (const OwnStep& step : from) {
      switch (step.kind) {
        case OwnStep::Kind::kBegin:
          steps.Add()->set_execute(PlainStatement("begin", "BEGIN"));
          break;
        case OwnStep::Kind::kCommit:
          steps.Add()->set_execute(PlainStatement("commit", "COMMIT"));
          break;
        case OwnStep::Kind::kRollback:
          steps.Add()->set_execute(PlainStatement("rollback", "ROLLBACK"));
          break;
        case OwnStep::Kind::kExecute:
          AddFormulas(own_.statements[static_cast<size_t>(step.statement)], steps);
          steps.Add()->set_execute(static_cast<uint32_t>(step.statement));
          break;
        case OwnStep::Kind::kThink: {
          const uint32_t variable = ThinkTime(step);
          steps.Add()->set_draw(variable);
          steps.Add()->set_think_us(variable);
          break;
        }
        case OwnStep::Kind::kRepeat: {
          v1::Repeat& repeat = *steps.Add()->mutable_repeat();
          repeat.set_count(static_cast<uint32_t>(step.times));
          std::set<std::string> drawn_inside = drawn;
          AddDraws(DirectlyUsed(step.steps), drawn_inside, *repeat.mutable_steps());
          AddSteps(step.steps, drawn_inside, *repeat.mutable_steps());
          break;
        }
        case OwnStep::Kind::kChance: {
          v1::Branch& branch = *steps.Add()->mutable_branch();
          branch.set_probability(step.probability);
          AddSteps(step.steps, drawn, *branch.mutable_then());
          AddSteps(step.otherwise, drawn, *branch.mutable_otherwise());
          break;
        }
      }
    }
  }

  /// What statements use that are not within a repetition, and what formulas of theirs use.
  std::set<std::string> DirectlyUsed(const std::vector<OwnStep>& steps) const {
    std::set<std::string> names;
    for (const OwnStep& step : steps) {
      if (step.kind == OwnStep::Kind::kChance) {
        names.merge(DirectlyUsed(step.steps));
        names.merge(DirectlyUsed(step.otherwise));
      }
      if (step.kind != OwnStep::Kind::kExecute) continue;
      for (const std::string& name :
           own_.statements[static_cast<size_t>(step.statement)].arguments) {
        AddWithFormula(name, names);
      }
    }
    return names;
  }

  void AddWithFormula(const std::string& name, std::set<std::string>& names) const {
    names.insert(name);
    for (const FormulaTerm& term : VariableOf(name).generator.formula) {
      if (term.kind == FormulaTerm::Kind::kName) AddWithFormula(term.name, names);
    }
  }

  void AddFormulas(const OwnStatement& statement, Steps& steps) {
    std::set<std::string> names;
    for (const std::string& name : statement.arguments) AddWithFormula(name, names);
    for (const OwnVariable& variable : own_.variables) {
      if (variable.generator.kind != Kind::kFormula || !names.contains(variable.name)) continue;
      steps.Add()->set_draw(places_.at(variable.name));
    }
  }

  uint32_t PlainStatement(const std::string& name, const std::string& sql) {
    const auto found = plain_.find(name);
    if (found != plain_.end()) return found->second;
    const auto place = static_cast<uint32_t>(message_.statements_size());
    v1::Statement& statement = *message_.add_statements();
    statement.set_name(name);
    statement.set_sql(sql);
    statement.set_as_text(options_.db_ps_mode == PsMode::kDisable);
    statement.set_rolls_back(name == "rollback");
    return plain_[name] = place;
  }

  uint32_t ThinkTime(const OwnStep& step) {
    const auto place = static_cast<uint32_t>(message_.variables_size());
    v1::Variable& variable = *message_.add_variables();
    variable.set_name(fmt::format("think_us_{}", ++think_times_));
    *variable.mutable_generator() = UniformGenerator(step.think_us_min, step.think_us_max);
    return place;
  }

  const OwnVariable& VariableOf(const std::string& name) const {
    return *std::find_if(own_.variables.begin(), own_.variables.end(),
                         [&name](const OwnVariable& variable) { return variable.name == name; });
  }

  const OwnWorkload& own_;
  const WorkloadOptions& options_;
  const Driver driver_;
  v1::Workload message_;
  std::map<std::string, uint32_t> places_;
  std::map<std::string, uint32_t> plain_;
  int think_times_ = 0;
};

}  // namespace

v1::Workload CompileOwnWorkload(const WorkloadPlan& workload, Driver driver) {
  return Compiler(workload, driver).Take();
}

}  // namespace sysfleet
