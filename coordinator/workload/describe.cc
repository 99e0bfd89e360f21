#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/workload/describe_generator.h"
#include "coordinator/workload/workload.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

using Steps = google::protobuf::RepeatedPtrField<v1::Step>;

int64_t CountStatements(const Steps& steps) {
  int64_t count = 0;
  for (const v1::Step& step : steps) {
    if (step.has_execute()) ++count;
    if (step.has_repeat()) count += step.repeat().count() * CountStatements(step.repeat().steps());
    if (step.has_branch()) count += CountStatements(step.branch().then());
  }
  return count;
}

struct Line {
  // "10 x", or where a statement is not executed a known number of times: "n x", "30 %".
  std::string count;
  std::string sql;
  std::string draws;
};

/// How often a part of a transaction is executed.
struct Times {
  int64_t count = 1;
  // Of a repetition whose count is drawn; empty elsewhere.
  std::string variable;
  double probability = 1;

  bool repeated() const { return count > 1 || !variable.empty(); }
};

std::string ToText(const Times& times) {
  std::string text = times.variable.empty() ? fmt::format("{:>3} x", times.count)
                                            : fmt::format("{} x", times.variable);
  if (times.probability < 1) text += fmt::format(" {:.4g} %", times.probability * 100);
  return text;
}

// Walks through a transaction's steps and notes for each statement which of its values are new.
class Listing {
 public:
  explicit Listing(const v1::Workload& workload) : workload_(workload) {}

  void Walk(const Steps& steps, const Times& times) {
    for (const v1::Step& step : steps) {
      switch (step.kind_case()) {
        case v1::Step::kDraw:
          fresh_[times.repeated() ? kEachRound : kOnce].insert(step.draw());
          break;
        case v1::Step::kExecute:
          Add(workload_.statements(static_cast<int>(step.execute())), times);
          break;
        case v1::Step::kRepeat:
          WalkRepeat(step.repeat(), times);
          break;
        case v1::Step::kBranch:
          WalkBranch(step.branch(), times);
          break;
        case v1::Step::kThinkUs:
          lines_.push_back({ToText(times), "wait", NameOf(step.think_us())});
          break;
        default:
          break;
      }
    }
  }

  std::vector<Line> Take() && { return std::move(lines_); }

 private:
  enum Freshness : uint8_t { kOnce, kEachRound };

  void WalkRepeat(const v1::Repeat& repeat, Times times) {
    if (repeat.has_count_variable()) {
      times.variable = NameOf(repeat.count_variable());
    } else {
      times.count *= repeat.count();
    }
    Walk(repeat.steps(), times);
  }

  void WalkBranch(const v1::Branch& branch, const Times& times) {
    Times one_way = times;
    one_way.probability *= branch.probability();
    Walk(branch.then(), one_way);
    Times other_way = times;
    other_way.probability *= 1 - branch.probability();
    Walk(branch.otherwise(), other_way);
  }

  void Add(const v1::Statement& statement, const Times& times) {
    std::vector<uint32_t> used;
    if (statement.has_table_variable()) used.push_back(statement.table_variable());
    for (const v1::Parameter& parameter : statement.parameters()) {
      used.push_back(parameter.variable());
    }
    std::vector<std::string> draws;
    draws.reserve(used.size());
    for (const uint32_t variable : used) draws.push_back(DescribeUse(variable, times));
    if (statement.has_rows()) draws.push_back(DescribeRows(statement.rows()));
    if (statement.other_tables_size() > 0) draws.emplace_back("other_table fixed by table");
    for (const v1::Capture& capture : statement.captures()) {
      draws.push_back("gives " + NameOf(capture.variable()));
    }
    if (statement.as_text()) draws.emplace_back("as text");
    std::string sql = statement.sql();
    if (statement.has_rows()) sql += fmt::format(" {}, ...", statement.rows().row());
    lines_.push_back({ToText(times), std::move(sql), fmt::format("{}", fmt::join(draws, ", "))});
    for (auto& fresh : fresh_) {
      for (const uint32_t variable : used) fresh.erase(variable);
    }
  }

  std::string DescribeUse(uint32_t variable, const Times& times) const {
    const std::string& name = NameOf(variable);
    if (fresh_[kEachRound].contains(variable)) return name;
    if (!fresh_[kOnce].contains(variable)) return "same " + name;
    return times.repeated() ? name + " once" : name;
  }

  std::string DescribeRows(const v1::Rows& rows) const {
    std::vector<std::string> names;
    for (const v1::Parameter& parameter : rows.parameters()) {
      names.push_back(NameOf(parameter.variable()));
    }
    std::string text = rows.count() > 0 ? fmt::format("{} rows of ", rows.count())
                                        : std::string("as many rows as fit of ");
    text += fmt::format("{}", fmt::join(names, ", "));
    if (rows.bytes_max() > 0) text += fmt::format(", at most {} bytes each", rows.bytes_max());
    return text;
  }

  const std::string& NameOf(uint32_t variable) const {
    return workload_.variables(static_cast<int>(variable)).name();
  }

  const v1::Workload& workload_;
  // Variables drawn and not used since, outside of any repetition and in one.
  std::set<uint32_t> fresh_[2];
  std::vector<Line> lines_;
};

size_t Widest(const std::vector<Line>& lines) {
  size_t widest = 0;
  for (const Line& line : lines) {
    if (!line.draws.empty()) widest = std::max(widest, line.sql.size());
  }
  return widest;
}

std::string Legend(const v1::Workload& workload) {
  size_t widest = 0;
  for (const v1::Variable& variable : workload.variables()) {
    widest = std::max(widest, variable.name().size());
  }
  std::string text;
  for (const v1::Variable& variable : workload.variables()) {
    text += fmt::format("    {:<{}} = {}\n", variable.name(), widest,
                        DescribeGenerator(workload, variable.generator()));
  }
  return text;
}

}  // namespace

double StatementsPerTransaction(const v1::Workload& workload) {
  double statements = 0;
  double weights = 0;
  for (const v1::Transaction& transaction : workload.transactions()) {
    statements += transaction.weight() * static_cast<double>(CountStatements(transaction.steps()));
    weights += transaction.weight();
  }
  return weights > 0 ? statements / weights : 0;
}

std::string Describe(const v1::Workload& workload) {
  std::string text;
  for (const v1::Transaction& transaction : workload.transactions()) {
    const int64_t statements = CountStatements(transaction.steps());
    const std::string kind =
        workload.transactions_size() == 1
            ? "one transaction"
            : fmt::format("transaction {} (weight {})", transaction.name(), transaction.weight());
    text += fmt::format("{}, {}: {} {}\n", workload.name(), kind, statements,
                        statements == 1 ? "statement" : "statements");
    Listing listing(workload);
    listing.Walk(transaction.steps(), {});
    const std::vector<Line> lines = std::move(listing).Take();
    const size_t width = Widest(lines);
    for (const Line& line : lines) {
      text += fmt::format("  {}  ", line.count);
      text += line.draws.empty() ? line.sql + "\n"
                                 : fmt::format("{:<{}}  {}\n", line.sql, width, line.draws);
    }
  }
  return text + Legend(workload);
}

}  // namespace sysfleet
