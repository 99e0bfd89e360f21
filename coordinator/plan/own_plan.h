// Workloads and tables that a plan defines itself: what its sections `workloads` and `tables` mean.
// Values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coordinator/plan/random_options.h"

namespace sysfleet {

/// Arithmetic in postfix notation: "(a + 2) * b" is a 2 + b *.
struct FormulaTerm {
  enum class Kind : uint8_t { kConstant, kName, kOperator };
  Kind kind = Kind::kConstant;
  int64_t constant = 0;
  std::string name;
  char symbol = '+';  // + - * / %
};
using Formula = std::vector<FormulaTerm>;

struct OwnChoice {
  std::string text;
  int64_t weight = 1;
};

/// How a value comes about.
struct OwnGenerator {
  enum class Kind : uint8_t {
    kRandom,    // an integer from min to max, distributed as `random` says
    kPattern,   // text: '#' a digit, '@' a letter
    kText,      // random text of min to max characters
    kChoice,    // one of several texts, or of integers
    kFormula,   // calculated from other values
    kUnique,    // a new id; of a workload's variables only
    kCaptured,  // taken from a result; likewise
    kRow,       // the row's number; of a table's columns only
  };
  Kind kind = Kind::kRandom;
  RandomOptions random;
  int64_t min = 0;
  int64_t max = 0;
  std::string pattern;
  std::vector<OwnChoice> choices;
  bool are_texts = false;  // of choices, or what is captured
  Formula formula;

  bool is_text() const {
    return kind == Kind::kPattern || kind == Kind::kText ||
           ((kind == Kind::kChoice || kind == Kind::kCaptured) && are_texts);
  }
};

struct OwnVariable {
  std::string name;
  OwnGenerator generator;
};

/// A statement with "?" for each of its arguments.
struct OwnStatement {
  std::string name;
  std::string sql;
  std::vector<std::string> arguments;  // names of variables
  std::vector<std::string> captures;   // by column of the first row
};

struct OwnStep {
  enum class Kind : uint8_t { kBegin, kCommit, kRollback, kExecute, kThink, kRepeat, kChance };
  Kind kind = Kind::kExecute;
  int statement = 0;  // kExecute: its place in the workload's list
  int64_t think_us_min = 0;
  int64_t think_us_max = 0;
  int64_t times = 1;           // kRepeat
  double probability = 0;      // kChance: of `steps`; else `otherwise`
  std::vector<OwnStep> steps;  // kRepeat, kChance
  std::vector<OwnStep> otherwise;
};

struct OwnTransaction {
  std::string name;
  int64_t weight = 1;
  std::vector<OwnStep> steps;
};

struct OwnWorkload {
  std::string name;
  std::vector<OwnVariable> variables;  // formulas use earlier ones
  std::vector<OwnStatement> statements;
  std::vector<OwnTransaction> transactions;
  /// Queries whose first value must be the same before and after a cell.
  std::vector<std::string> invariants;
};

struct OwnColumn {
  std::string name;
  std::string type;  // SQL, of the plan's driver
  OwnGenerator generator;
};

struct OwnTable {
  std::string name;
  int64_t rows = 0;
  std::vector<OwnColumn> columns;
  std::vector<std::string> primary_key;
  std::vector<std::vector<std::string>> indexes;
};

}  // namespace sysfleet
