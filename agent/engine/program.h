// A workload, compiled for execution: flat lists of instructions, and every statement that a
// connection prepares. Immutable; shared by all connections of a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/database/connection.h"
#include "agent/engine/generator.h"
#include "agent/engine/sql_text.h"

namespace sysfleet {

namespace v1 {
class Workload;
}

struct Instruction {
  enum class Kind : uint8_t {
    kDraw,       // index: a variable
    kExecute,    // index: a statement
    kThink,      // index: a variable, in microseconds
    kJump,       // to target
    kBranch,     // to target, unless chance says otherwise; index: a probability
    kBeginLoop,  // index: the variable that says how often; target: behind the loop
    kEndLoop,    // target: the loop's first instruction
  };
  Kind kind = Kind::kJump;
  uint8_t depth = 0;  // of a loop
  uint32_t index = 0;
  uint32_t target = 0;
};

struct ProgramTransaction {
  std::string name;
  std::vector<Instruction> code;
};

/// What a statement does to its table once the transaction commits.
enum class Effect : uint8_t { kNone, kIncrementK, kInsertRow, kDeleteRow };

/// The rows of an INSERT in text.
struct ProgramRows {
  SqlText row;
  std::vector<uint32_t> draws;
  /// Of one execution; 0: as many as fit into one INSERT, each an event of its own.
  int64_t count = 0;
  /// Of one INSERT; SIZE_MAX: no limit.
  size_t bytes_max = SIZE_MAX;
};

struct ProgramCapture {
  size_t column = 0;
  uint32_t variable = 0;
};

struct ProgramStatement {
  std::string name;
  // Where this statement's variants begin in prepared(): one for each table, or one in all.
  size_t first_prepared = 0;
  std::optional<uint32_t> table_variable;
  std::vector<uint32_t> arguments;  // variables, in the order of the placeholders
  /// Instead of being prepared: the SQL, or a variant for each table.
  std::vector<SqlText> texts;
  std::optional<ProgramRows> rows;
  std::vector<ProgramCapture> captures;
  Effect effect = Effect::kNone;
  bool commits = false;
  bool rolls_back = false;
};

class Program {
 public:
  static constexpr size_t kRepeatDepthMax = 8;

  /// INVALID_ARGUMENT for a message that names what does not exist, executes nothing, or asks for
  /// more than this agent allows (statements, instructions); says where.
  static absl::StatusOr<std::shared_ptr<const Program>> Compile(
      const v1::Workload& workload, Quoting quoting = Quoting::kStandard);

  const std::vector<Generator>& generators() const { return generators_; }
  const std::vector<ProgramStatement>& statements() const { return statements_; }
  const std::vector<ProgramTransaction>& transactions() const { return transactions_; }
  const std::vector<StatementSpec>& prepared() const { return prepared_; }
  size_t arguments_max() const { return arguments_max_; }
  double probability(size_t index) const { return probabilities_[index]; }

  /// Tables are numbered 1 to this; 0 where no statement has an effect that is counted.
  size_t tables_with_effects() const { return tables_with_effects_; }

  /// Which transaction comes next, by weight.
  size_t Pick(Random& random) const;

  /// Which of a statement's variants, in prepared() or in its texts, stands for it now.
  static size_t Variant(const ProgramStatement& statement, const Variables& variables) {
    if (!statement.table_variable) return 0;
    return static_cast<size_t>(variables[*statement.table_variable].integer - 1);
  }

 private:
  friend class ProgramCompiler;
  Program() = default;

  std::vector<Generator> generators_;
  std::vector<ProgramStatement> statements_;
  std::vector<ProgramTransaction> transactions_;
  std::vector<uint64_t> cumulative_weights_;
  std::vector<double> probabilities_;
  std::vector<StatementSpec> prepared_;
  size_t arguments_max_ = 0;
  size_t tables_with_effects_ = 0;
};

}  // namespace sysfleet
