// A workload, compiled for execution: flat lists of instructions, and every statement that a
// connection prepares. Immutable; shared by all connections of a cell.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/database/connection.h"
#include "agent/engine/generator.h"

namespace sysfleet {

namespace v1 {
class Workload;
}

struct Instruction {
  enum class Kind : uint8_t { kDraw, kExecute };
  Kind kind;
  // Of a variable or of a statement.
  uint32_t index;
};

struct ProgramTransaction {
  std::string name;
  std::vector<Instruction> code;
};

struct ProgramStatement {
  std::string name;
  // Where this statement's variants begin in prepared(): one for each table, or one in all.
  size_t first_prepared = 0;
  std::optional<uint32_t> table_variable;
  std::vector<uint32_t> arguments;  // variables, in the order of the placeholders
};

class Program {
 public:
  /// INVALID_ARGUMENT for a message that names what does not exist, executes nothing, or asks for
  /// more than this agent allows (statements, instructions); says where.
  static absl::StatusOr<std::shared_ptr<const Program>> Compile(const v1::Workload& workload);

  const std::vector<Generator>& generators() const { return generators_; }
  const std::vector<ProgramStatement>& statements() const { return statements_; }
  const std::vector<ProgramTransaction>& transactions() const { return transactions_; }
  const std::vector<StatementSpec>& prepared() const { return prepared_; }
  size_t arguments_max() const { return arguments_max_; }

  /// Which transaction comes next, by weight.
  size_t Pick(Random& random) const;

  /// Which of prepared() stands for a statement now.
  size_t PreparedIndex(const ProgramStatement& statement, const Variables& variables) const {
    if (!statement.table_variable) return statement.first_prepared;
    return statement.first_prepared +
           static_cast<size_t>(variables[*statement.table_variable].integer - 1);
  }

 private:
  friend class ProgramCompiler;
  Program() = default;

  std::vector<Generator> generators_;
  std::vector<ProgramStatement> statements_;
  std::vector<ProgramTransaction> transactions_;
  std::vector<uint64_t> cumulative_weights_;
  std::vector<StatementSpec> prepared_;
  size_t arguments_max_ = 0;
};

}  // namespace sysfleet
