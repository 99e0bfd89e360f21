#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "common/base/text.h"
#include "coordinator/plan/known_workloads.h"
#include "coordinator/plan/named_sql.h"
#include "coordinator/plan/own_generator.h"
#include "coordinator/plan/own_sections.h"
#include "coordinator/plan/suggest.h"
#include "coordinator/plan/sweep_section.h"
#include "coordinator/plan/values.h"

namespace sysfleet {
namespace {

using Kind = OwnStep::Kind;

constexpr int64_t kRepeatMax = 1'000'000;
constexpr int kDepthMax = 20;

/// "5ms", "2s", "250us" in microseconds.
std::optional<int64_t> ParseMicros(std::string_view text) {
  struct Unit {
    std::string_view name;
    double micros;
  };
  // The longer names first: "ms" ends with "s".
  for (const Unit& unit : {Unit{"us", 1}, Unit{"ms", 1e3}, Unit{"s", 1e6}}) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = ParseDecimal(text.substr(0, text.size() - unit.name.size()));
    if (!number || *number > 1e9) return std::nullopt;
    return static_cast<int64_t>(*number * unit.micros);
  }
  return std::nullopt;
}

std::string UpperWords(std::string_view sql) {
  std::string words;
  for (const char c : sql) {
    if (c == ';') continue;
    words += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

class Reader {
 public:
  /// Without `tables`, those that there are cannot be known.
  Reader(Driver driver, const std::vector<OwnTable>& tables, const ReadContext& context)
      : driver_(driver), tables_(tables), context_(context) {}

  OwnWorkload Read(const Member& member) {
    workload_.name = member.key;
    path_ = "workloads." + member.key;
    Section section(&member.value, member.key_position, path_, context_);
    ReadVariables(section);
    ReadTransactions(section);
    std::vector<std::string> no_secrets;
    ReadStatements(section, "invariants", workload_.invariants, no_secrets);
    section.ReportUnknown();
    ReportUnused();
    return std::move(workload_);
  }

 private:
  struct Known {
    Position position;
    bool is_used = false;
  };

  void ReadVariables(Section& section) {
    const Node* const node = section.Find("variables");
    if (node == nullptr || node->kind != NodeKind::kMap) {
      section.Sub("variables").ReportUnknown();
      return;
    }
    for (const Member& variable : node->members) {
      const std::string path = path_ + ".variables." + variable.key;
      auto generator = ReadGenerator(variable.value, path, ValueOwner::kVariable, context_);
      if (generator) {
        for (const FormulaTerm& term : generator->formula) {
          if (term.kind == FormulaTerm::Kind::kName) Use(term.name, variable.value.position, path);
        }
        workload_.variables.push_back({variable.key, *std::move(generator)});
      }
      known_[variable.key] = {variable.key_position};
    }
  }

  void ReadTransactions(Section& section) {
    const Node* const node = section.Find("transactions");
    if (node == nullptr || node->kind != NodeKind::kMap || node->members.empty()) {
      section.AddError("transactions", section.position(),
                       "missing; name at least one, with its steps");
      return;
    }
    for (const Member& member : node->members) {
      Section body(&member.value, member.key_position, section.PathOf("transactions." + member.key),
                   context_);
      OwnTransaction transaction{.name = member.key};
      body.Read("weight", transaction.weight, {0, 1'000'000});
      const auto items = body.Items("steps");
      if (!items || items->empty()) {
        body.AddError("steps", member.key_position, "missing; a list of SQL and other steps");
      } else {
        transaction.steps = ReadSteps(*items, body.PathOf("steps"), 0);
        CheckBalance(transaction.steps, items->back()->position, body.PathOf("steps"));
      }
      body.ReportUnknown();
      workload_.transactions.push_back(std::move(transaction));
    }
  }

  std::vector<OwnStep> ReadSteps(const std::vector<const Node*>& items, const std::string& path,
                                 int depth) {
    std::vector<OwnStep> steps;
    if (depth > kDepthMax) {
      context_.errors.Add(items.front()->position, path, "steps within steps within steps …");
      return steps;
    }
    for (const Node* item : items) {
      if (auto step = ReadStep(*item, path, depth)) steps.push_back(*std::move(step));
    }
    return steps;
  }

  std::optional<OwnStep> ReadStep(const Node& node, const std::string& path, int depth) {
    if (node.kind != NodeKind::kMap) {
      const auto sql = ReadExpanded(node, path, "SQL, or a step", context_);
      if (!sql) return std::nullopt;
      return ReadSql(sql->text, "", node.position, path, {});
    }
    Section section(&node, node.position, path, context_);
    std::optional<OwnStep> step;
    if (section.Find("think") != nullptr) {
      step = ReadThink(section);
    } else if (section.Find("repeat") != nullptr) {
      step = ReadRepeat(section, depth);
    } else if (section.Find("chance") != nullptr) {
      step = ReadChance(section, depth);
    } else {
      step = ReadStatement(section);
    }
    section.ReportUnknown();
    return step;
  }

  std::optional<OwnStep> ReadStatement(Section& section) {
    const std::string_view family = driver_ == Driver::kPostgresql ? "postgresql" : "mysql";
    std::string name;
    section.Read("name", name);
    std::string sql;
    std::string own;
    section.Read("sql", sql);
    for (const std::string_view key : {"postgresql", "mysql"}) {
      std::string text;
      section.Read(key, text);
      if (key == family) own = std::move(text);
    }
    const Node* node = section.Find(own.empty() ? "sql" : family);
    if (!own.empty()) sql = std::move(own);
    if (node == nullptr || sql.empty()) {
      section.AddError("sql", section.position(),
                       fmt::format("missing; expected sql or {}, or a step with think, repeat or "
                                   "chance",
                                   family));
      return std::nullopt;
    }
    return ReadSql(sql, std::move(name), node->position, section.PathOf("sql"),
                   ReadCaptures(section, sql));
  }

  std::vector<std::string> ReadCaptures(Section& section, const std::string& sql) {
    std::vector<std::string> captures;
    const auto items = section.Items("into");
    if (!items) return captures;
    for (const Node* item : *items) {
      // "balance", or "{owner: text}".
      const bool has_type = item->kind == NodeKind::kMap && item->members.size() == 1;
      const std::string name = has_type ? item->members[0].key : item->text;
      const std::string type = has_type ? item->members[0].value.text : "integer";
      if (name.empty() || (type != "integer" && type != "text")) {
        section.AddError("into", item->position,
                         "expected names, or names with their type: {owner: text}");
        return {};
      }
      Capture(name, type == "text", item->position, section.PathOf("into"));
      captures.push_back(name);
    }
    const auto columns = ResultColumns(sql);
    if (columns && static_cast<size_t>(*columns) < captures.size()) {
      section.AddError(
          "into", (*items)[static_cast<size_t>(*columns)]->position,
          fmt::format("the result has {}, so there is none for '{}'", Counted(*columns, "column"),
                      captures[static_cast<size_t>(*columns)]));
    }
    return captures;
  }

  void Capture(const std::string& name, bool is_text, const Position& position,
               const std::string& path) {
    const auto found = Find(name);
    if (found == nullptr) {
      OwnGenerator generator{.kind = OwnGenerator::Kind::kCaptured, .are_texts = is_text};
      workload_.variables.push_back({name, std::move(generator)});
      known_[name] = {position};
    } else if (found->generator.kind != OwnGenerator::Kind::kCaptured ||
               found->generator.are_texts != is_text) {
      context_.errors.Add(position, path, fmt::format("'{}' is a variable already", name));
    }
  }

  std::optional<OwnStep> ReadSql(const std::string& text, std::string name,
                                 const Position& position, const std::string& path,
                                 std::vector<std::string> captures) {
    const std::string words = UpperWords(text);
    if (words == "BEGIN" || words == "START TRANSACTION") return OwnStep{.kind = Kind::kBegin};
    if (words == "COMMIT" || words == "END") return OwnStep{.kind = Kind::kCommit};
    if (words == "ROLLBACK") return OwnStep{.kind = Kind::kRollback};
    auto parsed = ParseNamedSql(text);
    if (!parsed) {
      context_.errors.Add(position, path, "SQL with a '?'; name a variable instead, as in :id");
      return std::nullopt;
    }
    for (const std::string& used : parsed->names) Use(used, position, path);
    CheckTables(text, position, path);
    OwnStep step;
    step.statement = static_cast<int>(workload_.statements.size());
    workload_.statements.push_back({.name = UniqueName(name.empty() ? StatementName(text) : name),
                                    .sql = std::move(parsed->sql),
                                    .arguments = std::move(parsed->names),
                                    .captures = std::move(captures)});
    return step;
  }

  void CheckTables(std::string_view sql, const Position& position, const std::string& path) {
    if (tables_.empty()) return;
    std::vector<std::string_view> names;
    for (const OwnTable& table : tables_) names.push_back(table.name);
    for (const std::string& named : NamedTables(sql)) {
      const bool is_known = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return std::ranges::equal(name, named, [](unsigned char a, unsigned char b) {
          return std::tolower(a) == std::tolower(b);
        });
      });
      if (is_known) continue;
      context_.errors.Add(
          position, path,
          fmt::format("the plan has no table '{}'; {}", named, Suggestion(named, names)));
    }
  }

  std::string UniqueName(std::string name) {
    const int times = ++statement_names_[name];
    return times == 1 ? name : fmt::format("{}_{}", name, times);
  }

  std::optional<OwnStep> ReadThink(Section& section) {
    OwnStep step{.kind = Kind::kThink};
    const auto items = section.Items("think");
    std::vector<int64_t> bounds;
    for (const Node* item : *items) {
      if (const auto micros = ParseMicros(item->text)) bounds.push_back(*micros);
    }
    const bool fits = bounds.size() == items->size() && (bounds.size() == 1 || bounds.size() == 2);
    if (!fits || bounds.front() > bounds.back()) {
      section.AddError("think", section.Find("think")->position,
                       "expected a time such as 5ms, or [1ms, 5ms]");
      return std::nullopt;
    }
    step.think_us_min = bounds.front();
    step.think_us_max = bounds.back();
    return step;
  }

  std::optional<OwnStep> ReadRepeat(Section& section, int depth) {
    OwnStep step{.kind = Kind::kRepeat};
    section.Read("repeat", step.times, {1, kRepeatMax});
    const auto items = section.Items("steps");
    if (!items || items->empty()) {
      section.AddError("steps", section.position(), "missing; what is to be repeated");
      return std::nullopt;
    }
    step.steps = ReadSteps(*items, section.PathOf("steps"), depth + 1);
    return step;
  }

  std::optional<OwnStep> ReadChance(Section& section, int depth) {
    OwnStep step{.kind = Kind::kChance};
    std::string text;
    section.Read("chance", text);
    const auto percent = text.ends_with('%')
                             ? ParseDecimal(std::string_view(text).substr(0, text.size() - 1))
                             : std::nullopt;
    if (!percent || *percent > 100) {
      section.AddError("chance", section.Find("chance")->position,
                       fmt::format("expected a share such as 1%, got '{}'", text));
      return std::nullopt;
    }
    step.probability = *percent / 100;
    for (const auto& [key, steps] :
         {std::pair("then", &step.steps), std::pair("otherwise", &step.otherwise)}) {
      const auto items = section.Items(key);
      if (items && !items->empty()) *steps = ReadSteps(*items, section.PathOf(key), depth + 1);
    }
    if (step.steps.empty() && step.otherwise.empty()) {
      section.AddError("then", section.position(), "missing; what to do by chance");
    }
    return step;
  }

  // Every way through the steps begins a transaction before it ends one, and ends what it began.
  void CheckBalance(const std::vector<OwnStep>& steps, const Position& position,
                    const std::string& path) {
    std::string problem;
    const bool open = Walk(steps, false, problem);
    if (problem.empty() && open) problem = "begin without commit or rollback";
    if (!problem.empty()) context_.errors.Add(position, path, problem);
  }

  // Whether a transaction is open behind `steps`.
  static bool Walk(const std::vector<OwnStep>& steps, bool open, std::string& problem) {
    for (const OwnStep& step : steps) {
      switch (step.kind) {
        case Kind::kBegin:
          if (open) problem = "begin within a transaction";
          open = true;
          break;
        case Kind::kCommit:
        case Kind::kRollback:
          if (!open) problem = "commit or rollback without begin";
          open = false;
          break;
        case Kind::kRepeat:
          if (Walk(step.steps, open, problem) != open) {
            problem = "a repetition that begins a transaction and does not end it, or the reverse";
          }
          break;
        case Kind::kChance: {
          const bool one = Walk(step.steps, open, problem);
          const bool other = Walk(step.otherwise, open, problem);
          if (one != other) problem = "one way ends the transaction, and the other does not";
          open = one;
          break;
        }
        case Kind::kExecute:
        case Kind::kThink:
          break;
      }
      if (!problem.empty()) return open;
    }
    return open;
  }

  const OwnVariable* Find(std::string_view name) const {
    const auto found = std::find_if(workload_.variables.begin(), workload_.variables.end(),
                                    [name](const OwnVariable& v) { return v.name == name; });
    return found == workload_.variables.end() ? nullptr : &*found;
  }

  void Use(const std::string& name, const Position& position, const std::string& path) {
    const auto found = known_.find(name);
    if (found != known_.end()) {
      found->second.is_used = true;
      return;
    }
    std::vector<std::string_view> names;
    for (const auto& [known, state] : known_) names.push_back(known);
    context_.errors.Add(position, path,
                        names.empty() ? fmt::format("there is no variable '{}'", name)
                                      : fmt::format("there is no variable '{}' up to here; {}",
                                                    name, Suggestion(name, names)));
  }

  void ReportUnused() {
    for (const auto& [name, known] : known_) {
      if (known.is_used) continue;
      context_.errors.Add(known.position, path_ + ".variables",
                          fmt::format("'{}' is not used", name));
    }
  }

  const Driver driver_;
  const std::vector<OwnTable>& tables_;
  const ReadContext& context_;
  std::string path_;
  OwnWorkload workload_;
  std::map<std::string, Known, std::less<>> known_;
  std::map<std::string, int> statement_names_;
};

}  // namespace

void ReadOwnWorkloads(Section& top, Plan& plan) {
  const Node* const node = top.Find("workloads");
  if (node == nullptr) return;
  if (node->kind != NodeKind::kMap) {
    top.AddError("workloads", node->position,
                 "expected names with their variables and transactions; which of them run stands "
                 "in run.workloads");
    return;
  }
  for (const Member& member : node->members) {
    if (FindWorkload(member.key) != nullptr) {
      top.AddError("workloads", member.key_position,
                   fmt::format("'{}' is a built-in workload's name", member.key));
      continue;
    }
    plan.workloads.push_back(std::make_shared<const OwnWorkload>(
        Reader(plan.database.driver, plan.tables, top.context()).Read(member)));
  }
}

}  // namespace sysfleet
