#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "absl/status/status.h"
#include "agent/engine/program.h"
#include "agent/engine/table_placeholder.h"
#include "common/base/status.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

// A mistaken or hostile order must not exhaust the agent.
constexpr size_t kInstructionsMax = 100'000;
constexpr size_t kPreparedMax = 100'000;
constexpr size_t kSqlBytesMax = size_t{1} << 20;
constexpr size_t kPreparedBytesMax = size_t{256} << 20;
constexpr size_t kTablesMax = 100'000;

absl::Status Invalid(std::string message) {
  return absl::InvalidArgumentError(message);
}

void ReplaceAll(std::string& text, std::string_view what, uint32_t number) {
  const std::string digits = std::to_string(number);
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + digits.size())) {
    text.replace(at, what.size(), digits);
  }
}

std::string ForTable(const v1::Statement& statement, uint32_t table) {
  std::string sql = statement.sql();
  ReplaceAll(sql, kTablePlaceholder, table);
  if (!statement.other_tables().empty()) {
    ReplaceAll(sql, kOtherTablePlaceholder, statement.other_tables(static_cast<int>(table) - 1));
  }
  return sql;
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

Effect EffectOf(v1::Effect effect) {
  switch (effect) {
    case v1::EFFECT_INCREMENT_K:
      return Effect::kIncrementK;
    case v1::EFFECT_INSERT_ROW:
      return Effect::kInsertRow;
    case v1::EFFECT_DELETE_ROW:
      return Effect::kDeleteRow;
    default:
      return Effect::kNone;
  }
}

bool IsCommit(std::string_view sql) {
  constexpr std::string_view kCommit = "commit";
  return sql.size() >= kCommit.size() &&
         std::equal(kCommit.begin(), kCommit.end(), sql.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

}  // namespace

class ProgramCompiler {
 public:
  ProgramCompiler(const v1::Workload& workload, Quoting quoting)
      : workload_(workload), quoting_(quoting) {}

  absl::StatusOr<std::shared_ptr<const Program>> Compile() {
    if (workload_.tables() > kTablesMax) return Invalid("too many tables");
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
    if (message.sql().size() > kSqlBytesMax) return Invalid("SQL longer than 1 MiB");
    ProgramStatement statement{.name = message.name(),
                               .first_prepared = program_->prepared_.size(),
                               .effect = EffectOf(message.effect()),
                               .commits = IsCommit(message.sql()),
                               .rolls_back = message.rolls_back()};
    std::vector<ParameterType> types;
    SYSFLEET_RETURN_IF_ERROR(CompileParameters(message.parameters(), types, statement.arguments));
    program_->arguments_max_ = std::max(program_->arguments_max_, statement.arguments.size());
    SYSFLEET_RETURN_IF_ERROR(CompileTable(message, statement));
    SYSFLEET_RETURN_IF_ERROR(CompileCaptures(message, statement));
    if (message.as_text() || message.has_rows() || !message.captures().empty()) {
      SYSFLEET_RETURN_IF_ERROR(CompileTexts(message, statement));
    } else {
      SYSFLEET_RETURN_IF_ERROR(CompilePrepared(message, types, statement));
    }
    program_->statements_.push_back(std::move(statement));
    return absl::OkStatus();
  }

  template <typename Parameters>
  absl::Status CompileParameters(const Parameters& parameters, std::vector<ParameterType>& types,
                                 std::vector<uint32_t>& variables) {
    for (const v1::Parameter& parameter : parameters) {
      SYSFLEET_RETURN_IF_ERROR(CheckVariable(parameter.variable()));
      const auto type = TypeOf(parameter.type());
      if (!type.ok()) return type.status();
      const bool is_text = program_->generators_[parameter.variable()].is_text();
      if (is_text != (*type == ParameterType::kText)) {
        return Invalid(fmt::format("variable {} does not have the parameter's type",
                                   NameOf(parameter.variable())));
      }
      types.push_back(*type);
      variables.push_back(parameter.variable());
    }
    return absl::OkStatus();
  }

  absl::Status CompileTable(const v1::Statement& message, ProgramStatement& statement) {
    if (!message.has_table_variable()) {
      if (statement.effect != Effect::kNone) return Invalid("its effect is on no table");
      return absl::OkStatus();
    }
    SYSFLEET_RETURN_IF_ERROR(CheckTableVariable(message.table_variable()));
    statement.table_variable = message.table_variable();
    const auto others = static_cast<uint32_t>(message.other_tables_size());
    if (others != 0 && others != workload_.tables()) {
      return Invalid(fmt::format("it names {} tables to join with, there are {} tables", others,
                                 workload_.tables()));
    }
    if (statement.effect != Effect::kNone) program_->tables_with_effects_ = workload_.tables();
    return absl::OkStatus();
  }

  absl::Status CompileCaptures(const v1::Statement& message, ProgramStatement& statement) {
    for (const v1::Capture& capture : message.captures()) {
      SYSFLEET_RETURN_IF_ERROR(CheckVariable(capture.variable()));
      if (program_->generators_[capture.variable()].kind() != Generator::Kind::kCaptured) {
        return Invalid(fmt::format("variable {} is drawn, and takes no value of a result",
                                   NameOf(capture.variable())));
      }
      statement.captures.push_back({capture.column(), capture.variable()});
    }
    return absl::OkStatus();
  }

  absl::Status CompilePrepared(const v1::Statement& message,
                               const std::vector<ParameterType>& types,
                               ProgramStatement& statement) {
    const uint32_t variants = VariantsOf(statement);
    if (variants * message.sql().size() > kPreparedBytesMax) {
      return Invalid("its SQL for all tables is longer than 256 MiB");
    }
    if (!statement.table_variable) {
      program_->prepared_.push_back({message.sql(), types});
    } else {
      for (uint32_t table = 1; table <= variants; ++table) {
        program_->prepared_.push_back({ForTable(message, table), types});
      }
    }
    if (program_->prepared_.size() > kPreparedMax) {
      return Invalid(fmt::format("more than {} statements to prepare", kPreparedMax));
    }
    return absl::OkStatus();
  }

  absl::Status CompileTexts(const v1::Statement& message, ProgramStatement& statement) {
    const std::vector<SqlText::Argument> arguments = ArgumentsOf(statement.arguments);
    if (message.other_tables().empty()) {
      const uint32_t* table = statement.table_variable ? &*statement.table_variable : nullptr;
      SYSFLEET_RETURN_IF_ERROR(AddText(message.sql(), arguments, table, statement));
    } else {
      for (uint32_t table = 1; table <= workload_.tables(); ++table) {
        SYSFLEET_RETURN_IF_ERROR(AddText(ForTable(message, table), arguments, nullptr, statement));
      }
    }
    return message.has_rows() ? CompileRows(message.rows(), statement) : absl::OkStatus();
  }

  absl::Status AddText(std::string_view sql, const std::vector<SqlText::Argument>& arguments,
                       const uint32_t* table_variable, ProgramStatement& statement) const {
    auto text = SqlText::Compile(sql, arguments, table_variable, quoting_);
    if (!text.ok()) return text.status();
    statement.texts.push_back(*std::move(text));
    return absl::OkStatus();
  }

  absl::Status CompileRows(const v1::Rows& message, ProgramStatement& statement) {
    ProgramRows rows;
    std::vector<ParameterType> types;
    std::vector<uint32_t> variables;
    SYSFLEET_RETURN_IF_ERROR(CompileParameters(message.parameters(), types, variables));
    auto row = SqlText::Compile(message.row(), ArgumentsOf(variables), nullptr, quoting_);
    if (!row.ok()) return Annotate(row.status(), "its rows");
    rows.row = *std::move(row);
    for (const uint32_t variable : message.draws()) {
      SYSFLEET_RETURN_IF_ERROR(CheckDrawn(variable));
      rows.draws.push_back(variable);
    }
    rows.count = message.count();
    if (message.bytes_max() > 0) rows.bytes_max = message.bytes_max();
    if (rows.count == 0 && rows.bytes_max == SIZE_MAX) return Invalid("its rows have no end");
    statement.rows = std::move(rows);
    return absl::OkStatus();
  }

  uint32_t VariantsOf(const ProgramStatement& statement) const {
    return statement.table_variable ? workload_.tables() : 1;
  }

  std::vector<SqlText::Argument> ArgumentsOf(const std::vector<uint32_t>& variables) const {
    std::vector<SqlText::Argument> arguments;
    arguments.reserve(variables.size());
    for (const uint32_t variable : variables) {
      arguments.push_back({variable, program_->generators_[variable].is_text()});
    }
    return arguments;
  }

  const std::string& NameOf(uint32_t variable) const {
    return workload_.variables(static_cast<int>(variable)).name();
  }

  absl::Status CheckVariable(uint32_t variable) const {
    if (variable < program_->generators_.size()) return absl::OkStatus();
    return Invalid(fmt::format("there is no variable {}", variable));
  }

  absl::Status CheckDrawn(uint32_t variable) const {
    if (variable >= program_->generators_.size()) {
      return Invalid(fmt::format("there is no variable {} to draw", variable));
    }
    if (program_->generators_[variable].kind() == Generator::Kind::kCaptured) {
      return Invalid(
          fmt::format("variable {} is taken from results, and not drawn", NameOf(variable)));
    }
    return absl::OkStatus();
  }

  absl::Status CheckInteger(uint32_t variable, std::string_view what) const {
    SYSFLEET_RETURN_IF_ERROR(CheckVariable(variable));
    if (!program_->generators_[variable].is_text()) return absl::OkStatus();
    return Invalid(fmt::format("{} is variable {}, a text", what, NameOf(variable)));
  }

  // What chooses a table must never leave 1 … tables: it indexes the prepared statements.
  absl::Status CheckTableVariable(uint32_t variable) const {
    if (variable >= program_->generators_.size()) {
      return Invalid(fmt::format("there is no table variable {}", variable));
    }
    const auto bounds = program_->generators_[variable].bounds();
    if (!bounds || bounds->first < 1 || bounds->second > workload_.tables()) {
      return Invalid(
          fmt::format("its table variable is not always within 1 to {}", workload_.tables()));
    }
    return absl::OkStatus();
  }

  absl::Status CompileTransaction(const v1::Transaction& message) {
    ProgramTransaction transaction{.name = message.name()};
    drawn_.assign(program_->generators_.size(), false);
    SYSFLEET_RETURN_IF_ERROR(AppendSteps(message.steps(), 0, transaction.code));
    const bool takes_time =
        std::any_of(transaction.code.begin(), transaction.code.end(), [](const Instruction& i) {
          return i.kind == Instruction::Kind::kExecute || i.kind == Instruction::Kind::kThink;
        });
    if (!takes_time) return Invalid("it executes nothing");
    program_->transactions_.push_back(std::move(transaction));
    return absl::OkStatus();
  }

  template <typename Steps>
  absl::Status AppendSteps(const Steps& steps, size_t depth, std::vector<Instruction>& code) {
    using Kind = Instruction::Kind;
    if (depth >= Program::kRepeatDepthMax) return Invalid("repeats nested too deeply");
    for (const v1::Step& step : steps) {
      if (code.size() >= kInstructionsMax) {
        return Invalid(fmt::format("more than {} steps", kInstructionsMax));
      }
      switch (step.kind_case()) {
        case v1::Step::kDraw:
          SYSFLEET_RETURN_IF_ERROR(CheckDrawn(step.draw()));
          drawn_[step.draw()] = true;
          code.push_back({.kind = Kind::kDraw, .index = step.draw()});
          break;
        case v1::Step::kExecute:
          SYSFLEET_RETURN_IF_ERROR(AppendExecute(step.execute(), code));
          break;
        case v1::Step::kThinkUs:
          SYSFLEET_RETURN_IF_ERROR(CheckInteger(step.think_us(), "the think time"));
          code.push_back({.kind = Kind::kThink, .index = step.think_us()});
          break;
        case v1::Step::kRepeat:
          SYSFLEET_RETURN_IF_ERROR(AppendRepeat(step.repeat(), depth, code));
          break;
        case v1::Step::kBranch:
          SYSFLEET_RETURN_IF_ERROR(AppendBranch(step.branch(), depth, code));
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
    code.push_back({.kind = Instruction::Kind::kExecute, .index = index});
    return absl::OkStatus();
  }

  absl::Status AppendRepeat(const v1::Repeat& repeat, size_t depth,
                            std::vector<Instruction>& code) {
    if (repeat.has_count_variable()) return AppendLoop(repeat, depth, code);
    for (uint32_t i = 0; i < repeat.count(); ++i) {
      const size_t before = code.size();
      SYSFLEET_RETURN_IF_ERROR(AppendSteps(repeat.steps(), depth + 1, code));
      if (code.size() == before) break;  // nothing, however often
    }
    return absl::OkStatus();
  }

  absl::Status AppendLoop(const v1::Repeat& repeat, size_t depth, std::vector<Instruction>& code) {
    const uint32_t variable = repeat.count_variable();
    SYSFLEET_RETURN_IF_ERROR(CheckInteger(variable, "how often to repeat"));
    const size_t begin = code.size();
    code.push_back({.kind = Instruction::Kind::kBeginLoop,
                    .depth = static_cast<uint8_t>(depth),
                    .index = variable});
    // Its body may be left out, and draw nothing.
    const std::vector<bool> drawn_before = drawn_;
    SYSFLEET_RETURN_IF_ERROR(AppendSteps(repeat.steps(), depth + 1, code));
    drawn_ = drawn_before;
    code.push_back({.kind = Instruction::Kind::kEndLoop,
                    .depth = static_cast<uint8_t>(depth),
                    .target = static_cast<uint32_t>(begin + 1)});
    code[begin].target = static_cast<uint32_t>(code.size());
    return absl::OkStatus();
  }

  absl::Status AppendBranch(const v1::Branch& branch, size_t depth,
                            std::vector<Instruction>& code) {
    if (!(branch.probability() >= 0 && branch.probability() <= 1)) {
      return Invalid(fmt::format("a probability of {}", branch.probability()));
    }
    const size_t fork = code.size();
    code.push_back({.kind = Instruction::Kind::kBranch,
                    .index = static_cast<uint32_t>(program_->probabilities_.size())});
    program_->probabilities_.push_back(branch.probability());
    const std::vector<bool> drawn_before = drawn_;
    SYSFLEET_RETURN_IF_ERROR(AppendSteps(branch.then(), depth + 1, code));
    const size_t end_of_then = code.size();
    code.push_back({.kind = Instruction::Kind::kJump});
    code[fork].target = static_cast<uint32_t>(code.size());
    drawn_ = drawn_before;
    SYSFLEET_RETURN_IF_ERROR(AppendSteps(branch.otherwise(), depth + 1, code));
    drawn_ = drawn_before;
    code[end_of_then].target = static_cast<uint32_t>(code.size());
    return absl::OkStatus();
  }

  const v1::Workload& workload_;
  const Quoting quoting_;
  std::shared_ptr<Program> program_{new Program};
  std::vector<bool> drawn_;  // by the present transaction so far, on every way
};

absl::StatusOr<std::shared_ptr<const Program>> Program::Compile(const v1::Workload& workload,
                                                                Quoting quoting) {
  return ProgramCompiler(workload, quoting).Compile();
}

}  // namespace sysfleet
