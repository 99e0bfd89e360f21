#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/workload/workload.h"
#include "sysfleet/v1/workload.pb.h"

namespace sysfleet {
namespace {

using Steps = google::protobuf::RepeatedPtrField<v1::Step>;

// Longer patterns are cut: what matters is their form and length.
constexpr size_t kPatternShown = 24;

int64_t CountStatements(const Steps& steps) {
  int64_t count = 0;
  for (const v1::Step& step : steps) {
    if (step.has_execute()) ++count;
    if (step.has_repeat()) count += step.repeat().count() * CountStatements(step.repeat().steps());
  }
  return count;
}

std::string DescribeGenerator(const v1::Workload& workload, const v1::Generator& generator) {
  switch (generator.kind_case()) {
    case v1::Generator::kUniform:
      return fmt::format("uniform({}, {})", generator.uniform().min(), generator.uniform().max());
    case v1::Generator::kPattern: {
      const std::string& text = generator.pattern().text();
      const bool cut = text.size() > kPatternShown;
      return fmt::format("text \"{}{}\", {} characters{}{}", text.substr(0, kPatternShown),
                         cut ? "…" : "", text.size(),
                         text.find('#') != std::string::npos ? ", # is any digit" : "",
                         text.find('@') != std::string::npos ? ", @ is any letter" : "");
    }
    case v1::Generator::kUniqueId:
      return "negative, unique over the fleet";
    case v1::Generator::kOffset: {
      const v1::Offset& offset = generator.offset();
      return fmt::format("{} {} {}", workload.variables(static_cast<int>(offset.variable())).name(),
                         offset.addend() < 0 ? '-' : '+', std::abs(offset.addend()));
    }
    case v1::Generator::kRowNumber:
      return "number of the row";
    default:
      break;
  }
  return "not set";
}

struct Line {
  int64_t count = 1;
  std::string sql;
  std::string draws;
};

// Walks through a transaction's steps and notes for each statement which of its values are new.
class Listing {
 public:
  explicit Listing(const v1::Workload& workload) : workload_(workload) {}

  void Walk(const Steps& steps, int64_t count) {
    for (const v1::Step& step : steps) {
      if (step.has_draw()) {
        fresh_[count > 1 ? kEachRound : kOnce].insert(step.draw());
      } else if (step.has_execute()) {
        Add(workload_.statements(static_cast<int>(step.execute())), count);
      } else if (step.has_repeat()) {
        Walk(step.repeat().steps(), count * step.repeat().count());
      }
    }
  }

  std::vector<Line> Take() && { return std::move(lines_); }

 private:
  enum Freshness : uint8_t { kOnce, kEachRound };

  void Add(const v1::Statement& statement, int64_t count) {
    std::vector<uint32_t> used;
    if (statement.has_table_variable()) used.push_back(statement.table_variable());
    for (const v1::Parameter& parameter : statement.parameters()) {
      used.push_back(parameter.variable());
    }
    std::vector<std::string> draws;
    draws.reserve(used.size());
    for (const uint32_t variable : used) draws.push_back(DescribeUse(variable, count));
    lines_.push_back({count, statement.sql(), fmt::format("{}", fmt::join(draws, ", "))});
    for (auto& fresh : fresh_) fresh.clear();
  }

  std::string DescribeUse(uint32_t variable, int64_t count) const {
    const std::string& name = workload_.variables(static_cast<int>(variable)).name();
    if (fresh_[kEachRound].contains(variable)) return name;
    if (!fresh_[kOnce].contains(variable)) return "same " + name;
    return count > 1 ? name + " once" : name;
  }

  const v1::Workload& workload_;
  // Variables drawn since the last statement, outside of any repetition and in one.
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

int64_t StatementsPerTransaction(const v1::Workload& workload) {
  return CountStatements(workload.transactions(0).steps());
}

std::string Describe(const v1::Workload& workload) {
  std::string text;
  for (const v1::Transaction& transaction : workload.transactions()) {
    const int64_t statements = CountStatements(transaction.steps());
    text += fmt::format("{}, one transaction: {} {}\n", workload.name(), statements,
                        statements == 1 ? "statement" : "statements");
    Listing listing(workload);
    listing.Walk(transaction.steps(), 1);
    const std::vector<Line> lines = std::move(listing).Take();
    const size_t width = Widest(lines);
    for (const Line& line : lines) {
      text += fmt::format("  {:>3} x  ", line.count);
      text += line.draws.empty() ? line.sql + "\n"
                                 : fmt::format("{:<{}}  {}\n", line.sql, width, line.draws);
    }
  }
  return text + Legend(workload);
}

}  // namespace sysfleet
