#include "agent/engine/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/status/status.h"
#include "common/base/status.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

// A mistaken or hostile order must not exhaust the agent.
constexpr size_t kInstructionsMax = 100'000;
constexpr size_t kPreparedMax = 100'000;
constexpr size_t kSqlBytesMax = size_t{1} << 20;
constexpr size_t kPreparedBytesMax = size_t{256} << 20;
constexpr int kRepeatDepthMax = 8;

constexpr std::string_view kTablePlaceholder = "{table}";

absl::Status Invalid(std::string message) {
  return absl::InvalidArgumentError(message);
}

std::string ForTable(const std::string& sql, uint32_t table) {
  std::string result = sql;
  const std::string number = std::to_string(table);
  for (size_t at = result.find(kTablePlaceholder); at != std::string::npos;
       at = result.find(kTablePlaceholder, at + number.size())) {
    result.replace(at, kTablePlaceholder.size(), number);
  }
  return result;
}

absl::StatusOr<ParameterType> TypeOf(v1::ColumnType type) {
  switch (type) {
    case v1::COLUMN_TYPE_INT32:
      return ParameterType::kInt32;
    case v1::COLUMN_TYPE_INT64:
      return ParameterType::kInt64;
    case v1::COLUMN_TYPE_TEXT:
      return ParameterType::kText;
    default:
      return Invalid(fmt::format("unknown type {} of a parameter", static_cast<int>(type)));
  }
}

}  // namespace

class ProgramCompiler {
 public:
  explicit ProgramCompiler(const v1::Workload& workload) : workload_(workload) {}

  absl::StatusOr<std::shared_ptr<const Program>> Compile() {
    SYSFLEET_RETURN_IF_ERROR(CompileVariables());
    for (const auto& statement : workload_.statements()) {
      SYSFLEET_RETURN_IF_ERROR(
          Annotate(CompileStatement(statement), "statement " + statement.name()));
    }
    uint64_t weights = 0;
    for (const auto& transaction : workload_.transactions()) {
      SYSFLEET_RETURN_IF_ERROR(
          Annotate(CompileTransaction(transaction), "transaction " + transaction.name()));
      weights += transaction.weight();
      program_->cumulative_weights_.push_back(weights);
    }
    if (weights == 0) return Invalid("no transaction with a weight above 0");
    return program_;
  }

 private:
  absl::Status CompileVariables() {
    const auto count = static_cast<size_t>(workload_.variables_size());
    for (const auto& variable : workload_.variables()) {
      auto generator = Generator::Compile(variable.generator(), count);
      if (!generator.ok()) return Annotate(generator.status(), "variable " + variable.name());
      program_->generators_.push_back(*std::move(generator));
    }
    return CheckReferences(program_->generators_);
  }

  absl::Status CompileStatement(const v1::Statement& message) {
    ProgramStatement statement{.name = message.name(),
                               .first_prepared = program_->prepared_.size()};
    StatementSpec spec{.sql = message.sql()};
    if (spec.sql.size() > kSqlBytesMax) return Invalid("SQL longer than 1 MiB");
    for (const auto& parameter : message.parameters()) {
      if (parameter.variable() >= program_->generators_.size()) {
        return Invalid(fmt::format("there is no variable {}", parameter.variable()));
      }
      const auto type = TypeOf(parameter.type());
      if (!type.ok()) return type.status();
      const bool is_text = program_->generators_[parameter.variable()].is_text();
      if (is_text != (*type == ParameterType::kText)) {
        return Invalid(
            fmt::format("variable {} does not have the parameter's type",
                        workload_.variables(static_cast<int>(parameter.variable())).name()));
      }
      spec.parameters.push_back(*type);
      statement.arguments.push_back(parameter.variable());
    }
    program_->arguments_max_ = std::max(program_->arguments_max_, statement.arguments.size());
    if (message.has_table_variable()) {
      SYSFLEET_RETURN_IF_ERROR(CheckTableVariable(message.table_variable()));
      statement.table_variable = message.table_variable();
      if (workload_.tables() * spec.sql.size() > kPreparedBytesMax) {
        return Invalid("its SQL for all tables is longer than 256 MiB");
      }
      for (uint32_t table = 1; table <= workload_.tables(); ++table) {
        program_->prepared_.push_back({ForTable(spec.sql, table), spec.parameters});
      }
    } else {
      program_->prepared_.push_back(std::move(spec));
    }
    if (program_->prepared_.size() > kPreparedMax) {
      return Invalid(fmt::format("more than {} statements to prepare", kPreparedMax));
    }
    program_->statements_.push_back(std::move(statement));
    return absl::OkStatus();
  }

  // What chooses a table must never leave 1 … tables: it indexes the prepared statements.
  absl::Status CheckTableVariable(uint32_t variable) {
    if (variable >= program_->generators_.size()) {
      return Invalid(fmt::format("there is no table variable {}", variable));
    }
    const Generator& generator = program_->generators_[variable];
    const auto bounds = generator.bounds();
    if (!bounds || bounds->first < 1 || bounds->second > workload_.tables()) {
      return Invalid(
          fmt::format("its table variable is not always within 1 to {}", workload_.tables()));
    }
    if (workload_.tables() > kPreparedMax) return Invalid("too many tables");
    return absl::OkStatus();
  }

  absl::Status CompileTransaction(const v1::Transaction& message) {
    ProgramTransaction transaction{.name = message.name()};
    drawn_.assign(program_->generators_.size(), false);
    SYSFLEET_RETURN_IF_ERROR(AppendSteps(message.steps(), 0, transaction.code));
    const bool executes =
        std::any_of(transaction.code.begin(), transaction.code.end(),
                    [](const Instruction& i) { return i.kind == Instruction::Kind::kExecute; });
    if (!executes) return Invalid("it executes nothing");
    program_->transactions_.push_back(std::move(transaction));
    return absl::OkStatus();
  }

  template <typename Steps>
  absl::Status AppendSteps(const Steps& steps, int depth, std::vector<Instruction>& code) {
    if (depth > kRepeatDepthMax) return Invalid("repeats nested too deeply");
    for (const v1::Step& step : steps) {
      if (code.size() >= kInstructionsMax) {
        return Invalid(fmt::format("more than {} steps", kInstructionsMax));
      }
      switch (step.kind_case()) {
        case v1::Step::kDraw:
          if (step.draw() >= program_->generators_.size()) {
            return Invalid(fmt::format("there is no variable {} to draw", step.draw()));
          }
          drawn_[step.draw()] = true;
          code.push_back({Instruction::Kind::kDraw, step.draw()});
          break;
        case v1::Step::kExecute:
          SYSFLEET_RETURN_IF_ERROR(AppendExecute(step.execute(), code));
          break;
        case v1::Step::kRepeat:
          for (uint32_t i = 0; i < step.repeat().count(); ++i) {
            const size_t before = code.size();
            SYSFLEET_RETURN_IF_ERROR(AppendSteps(step.repeat().steps(), depth + 1, code));
            if (code.size() == before) break;  // nothing, however often
          }
          break;
        default:
          return Invalid("a step of an unknown kind");
      }
    }
    return absl::OkStatus();
  }

  absl::Status AppendExecute(uint32_t index, std::vector<Instruction>& code) {
    if (index >= program_->statements_.size()) {
      return Invalid(fmt::format("there is no statement {} to execute", index));
    }
    const ProgramStatement& statement = program_->statements_[index];
    if (statement.table_variable && !drawn_[*statement.table_variable]) {
      return Invalid(
          fmt::format("statement {} is executed before its table is drawn", statement.name));
    }
    code.push_back({Instruction::Kind::kExecute, index});
    return absl::OkStatus();
  }

  const v1::Workload& workload_;
  std::shared_ptr<Program> program_{new Program};
  std::vector<bool> drawn_;  // by the present transaction so far
};

absl::StatusOr<std::shared_ptr<const Program>> Program::Compile(const v1::Workload& workload) {
  return ProgramCompiler(workload).Compile();
}

size_t Program::Pick(Random& random) const {
  if (transactions_.size() == 1) return 0;
  const auto total = static_cast<int64_t>(cumulative_weights_.back());
  const auto point = static_cast<uint64_t>(random.Uniform(0, total - 1));
  const auto found =
      std::upper_bound(cumulative_weights_.begin(), cumulative_weights_.end(), point);
  return static_cast<size_t>(found - cumulative_weights_.begin());
}

}  // namespace sysfleet
