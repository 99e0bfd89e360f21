#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "coordinator/plan/own_generator.h"
#include "coordinator/plan/own_sections.h"
#include "coordinator/plan/values.h"

namespace sysfleet {
namespace {

constexpr int64_t kRowsMax = 100'000'000'000;

bool HasColumn(const OwnTable& table, std::string_view name) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [name](const OwnColumn& column) { return column.name == name; });
}

/// The type of the plan's driver: a text, or a map of both.
std::string ReadType(Section& section, Driver driver) {
  const Node* const node = section.Find("type");
  std::string type;
  if (node != nullptr && node->kind == NodeKind::kMap) {
    Section families = section.Sub("type");
    for (const auto& [key, family] :
         {std::pair("postgresql", Driver::kPostgresql), std::pair("mysql", Driver::kMysql)}) {
      std::string text;
      families.Read(key, text);
      if (family == driver) type = std::move(text);
    }
    families.ReportUnknown();
  } else {
    section.Read("type", type);
  }
  if (type.empty()) {
    section.AddError("type", node == nullptr ? section.position() : node->position,
                     "missing; an SQL type such as BIGINT or VARCHAR(20)");
  }
  return type;
}

void ReadColumns(Section& section, Driver driver, OwnTable& table) {
  const Node* const node = section.Find("columns");
  if (node == nullptr || node->kind != NodeKind::kMap || node->members.empty()) {
    section.AddError("columns", section.position(), "missing; names, each with a type and a value");
    return;
  }
  for (const Member& member : node->members) {
    Section body(&member.value, member.key_position, section.PathOf("columns." + member.key),
                 section.context());
    OwnColumn column{.name = member.key, .type = ReadType(body, driver)};
    const Node* const value = body.Find("value");
    if (value == nullptr) {
      body.AddError("value", member.key_position, "missing; as in {uniform: [1, 1000]}, or row");
    } else if (auto generator = ReadGenerator(*value, body.PathOf("value"), ValueOwner::kColumn,
                                              section.context())) {
      for (const FormulaTerm& term : generator->formula) {
        if (term.kind == FormulaTerm::Kind::kName && !HasColumn(table, term.name)) {
          body.AddError("value", value->position,
                        fmt::format("there is no column '{}' before this one", term.name));
        }
      }
      column.generator = *std::move(generator);
    }
    body.ReportUnknown();
    table.columns.push_back(std::move(column));
  }
}

/// Names of columns, "a, b" or a list.
std::vector<std::string> ReadKey(const Node& node, Section& section, std::string_view key,
                                 const OwnTable& table) {
  std::vector<std::string> names;
  if (node.kind == NodeKind::kList) {
    for (const Node& item : node.items) names.push_back(item.text);
  } else {
    names.push_back(node.text);
  }
  for (const std::string& name : names) {
    if (!HasColumn(table, name)) {
      section.AddError(key, node.position, fmt::format("there is no column '{}'", name));
    }
  }
  return names;
}

OwnTable ReadTable(const Member& member, Driver driver, const ReadContext& context) {
  OwnTable table{.name = member.key};
  Section section(&member.value, member.key_position, "tables." + member.key, context);
  if (section.Find("rows") == nullptr) {
    section.AddError("rows", member.key_position, "missing; how many rows to load");
  }
  section.Read("rows", table.rows, {0, kRowsMax});
  ReadColumns(section, driver, table);
  if (const Node* const key = section.Find("primary_key")) {
    table.primary_key = ReadKey(*key, section, "primary_key", table);
  }
  if (const auto indexes = section.Items("indexes")) {
    for (const Node* index : *indexes) {
      table.indexes.push_back(ReadKey(*index, section, "indexes", table));
    }
  }
  section.ReportUnknown();
  return table;
}

}  // namespace

void ReadOwnTables(Section& top, Plan& plan) {
  const Node* const node = top.Find("tables");
  if (node == nullptr) return;
  if (node->kind != NodeKind::kMap) {
    top.AddError("tables", node->position,
                 "expected names with their rows and columns; the number of sysbench's tables "
                 "stands in dataset.tables");
    return;
  }
  for (const Member& member : node->members) {
    if (!IsPlainName(member.key) || member.key.starts_with("sysfleet_")) {
      top.AddError("tables", member.key_position, "expected letters, digits and '_' as a name");
      continue;
    }
    plan.tables.push_back(ReadTable(member, plan.database.driver, top.context()));
  }
}

}  // namespace sysfleet
