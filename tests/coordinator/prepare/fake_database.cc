#include "tests/coordinator/prepare/fake_database.h"

#include <fmt/format.h>

#include <regex>

#include "common/base/status.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

v1::Row RowOf(const std::vector<std::string>& texts) {
  v1::Row row;
  for (const std::string& text : texts) row.add_fields()->set_text(text);
  return row;
}

// The groups of a match, the whole first; empty where there is none.
std::vector<std::string> Match(const std::string& text, const std::string& pattern) {
  static std::map<std::string, std::regex> compiled;
  const auto regex = compiled.try_emplace(pattern, pattern).first;
  std::smatch match;
  if (!std::regex_search(text, match, regex->second)) return {};
  return {match.begin(), match.end()};
}

absl::Status Lost() {
  return absl::UnavailableError("lost");
}

}  // namespace

v1::TaskDone FakeDatabase::Execute(const v1::Task& task, Fault fault) {
  v1::TaskDone done;
  done.set_id(task.id());
  absl::Status status;
  if (fault == Fault::kAborted) status = absl::AbortedError("40001 try again");
  if (fault == Fault::kLostBefore) status = Lost();
  std::vector<v1::Row> rows;
  if (status.ok() && task.has_chunk()) {
    status = fault == Fault::kLostWithin || !TakeStep() ? Lost() : LoadChunk(task.chunk());
    if (status.ok()) done.set_rows_loaded(task.chunk().last_row() - task.chunk().first_row() + 1);
  }
  for (const std::string& sql : task.script().sql()) {
    if (!status.ok()) break;
    status = TakeStep() ? Statement(sql, rows) : Lost();
    if (status.ok() && fault == Fault::kLostWithin) status = Lost();
  }
  if (status.ok() && fault == Fault::kLostAfter) status = Lost();
  done.mutable_error()->set_code(static_cast<int>(status.code()));
  done.mutable_error()->set_message(Message(status));
  if (!status.ok()) return done;
  for (v1::Row& row : rows) *done.add_rows() = std::move(row);
  return done;
}

void FakeDatabase::AddTable(const std::string& name, int64_t rows, bool auto_inc, bool secondary) {
  FakeTable& table = tables[name];
  table.auto_inc = auto_inc;
  if (secondary) table.indexes.insert("k_" + name.substr(6));
  for (int64_t id = 1; id <= rows; ++id) table.ids.insert(id);
}

bool FakeDatabase::TakeStep() {
  if (steps_left_ == kEndless) return true;
  if (steps_left_ == 0) return false;
  --steps_left_;
  return true;
}

absl::Status FakeDatabase::Statement(const std::string& sql, std::vector<v1::Row>& rows) {
  if (!sql.starts_with("SELECT")) return Change(sql);
  rows.clear();
  if (sql == "SELECT version()") {
    rows.push_back(RowOf({version_}));
  } else if (const auto set = Match(sql, R"(setval\('(\w+)_id_seq', (\d+)\))"); !set.empty()) {
    tables.at(set[1]).counter = std::stoll(set[2]);
  } else if (sql.find("FROM information_schema") != std::string::npos ||
             sql.find("FROM pg_catalog") != std::string::npos) {
    SelectCatalog(sql, rows);
  } else if (sql.find("FROM sysfleet_") != std::string::npos) {
    if (!records_exist) return absl::InternalError("42P01 no such table");
    SelectRecords(sql, rows);
  } else {
    SelectIds(sql, rows);
  }
  return absl::OkStatus();
}

void FakeDatabase::SelectCatalog(const std::string& sql, std::vector<v1::Row>& rows) const {
  const bool columns = sql.find("information_schema.columns") != std::string::npos;
  for (const auto& [name, table] : tables) {
    if (!columns) {
      rows.push_back(RowOf({name, name + "_pkey"}));
      for (const std::string& index : table.indexes) rows.push_back(RowOf({name, index}));
      continue;
    }
    for (const std::string& column : table.columns) {
      const bool has_default = column == "id" ? table.auto_inc : column != "pad";
      rows.push_back(RowOf({name, column, has_default ? "1" : "0"}));
    }
  }
}

void FakeDatabase::SelectRecords(const std::string& sql, std::vector<v1::Row>& rows) const {
  if (sql == "SELECT count(*) FROM sysfleet_dataset") {
    rows.push_back(RowOf({std::to_string(records.size())}));
  } else if (sql.find("FROM sysfleet_dataset") != std::string::npos) {
    for (const auto& [name, record] : records) {
      rows.push_back(RowOf({name, record.spec, record.state}));
    }
  } else {
    const auto where = Match(sql, R"(table_name = '(\w+)'(?: AND first_row = (\d+))?)");
    for (const auto& [key, last] : chunks) {
      if (key.first != where[1]) continue;
      if (!where[2].empty() && key.second != std::stoll(where[2])) continue;
      rows.push_back(RowOf({std::to_string(key.second), std::to_string(last)}));
    }
  }
}

void FakeDatabase::SelectIds(const std::string& sql, std::vector<v1::Row>& rows) const {
  const auto from = Match(sql, R"(^SELECT count\(\*\)(.*) FROM (sbtest\d+)$)");
  const std::set<int64_t>& ids = tables.at(from.at(2)).ids;
  v1::Row row = RowOf({std::to_string(ids.size())});
  if (!from[1].empty() && ids.empty()) {
    row.add_fields();
    row.add_fields();
  } else if (!from[1].empty()) {
    row.add_fields()->set_text(std::to_string(*ids.begin()));
    row.add_fields()->set_text(std::to_string(*ids.rbegin()));
  }
  rows.push_back(row);
}

absl::Status FakeDatabase::Change(const std::string& sql) {
  if (sql.find("sysfleet_") != std::string::npos) return ChangeRecords(sql);
  if (sql.starts_with("CREATE")) return Create(sql);
  if (const auto drop = Match(sql, R"(^DROP TABLE IF EXISTS (\w+)$)"); !drop.empty()) {
    tables.erase(drop[1]);
  } else if (const auto cache = Match(sql, R"(^ALTER SEQUENCE (\w+)_id_seq CACHE \d+$)");
             !cache.empty()) {
    tables.at(cache[1]).sequence_cached = true;
  } else if (const auto counter = Match(sql, R"(^ALTER TABLE (\w+) AUTO_INCREMENT = (\d+)$)");
             !counter.empty()) {
    tables.at(counter[1]).counter = std::stoll(counter[2]) - 1;
  } else {
    return absl::InternalError(fmt::format("42601 syntax: {}", sql));
  }
  return absl::OkStatus();
}

absl::Status FakeDatabase::Create(const std::string& sql) {
  if (const auto index = Match(sql, R"(^CREATE INDEX (k_\d+) ON (sbtest\d+)\(k\)$)");
      !index.empty()) {
    if (tables.at(index[2]).indexes.insert(index[1]).second) return absl::OkStatus();
    return absl::AlreadyExistsError("42P07 index exists");
  }
  const auto table = Match(sql, R"(^CREATE TABLE (sbtest\d+) ?\(id (\w+))");
  if (tables.contains(table.at(1))) return absl::InternalError("42P07 table exists");
  tables[table[1]].auto_inc = table[2] == "SERIAL" || sql.find("AUTO_INC") != std::string::npos;
  if (sql.find(" pad ") == std::string::npos) tables[table[1]].columns = {"id", "k"};
  ++tables_created;
  return absl::OkStatus();
}

absl::Status FakeDatabase::ChangeRecords(const std::string& sql) {
  if (sql.starts_with("CREATE TABLE IF NOT EXISTS sysfleet_")) {
    records_exist = true;
    return absl::OkStatus();
  }
  if (!records_exist) return absl::InternalError("42P01 no such table");
  if (sql.starts_with("DROP TABLE sysfleet_")) {
    if (sql.ends_with("sysfleet_dataset")) records_exist = false;
    return absl::OkStatus();
  }
  if (const auto forget = Match(sql, R"(^DELETE FROM sysfleet_(\w+) WHERE table_name = '(\w+)'$)");
      !forget.empty()) {
    if (forget[1] == "dataset") records.erase(forget[2]);
    if (forget[1] == "chunk") {
      std::erase_if(chunks, [&](const auto& entry) { return entry.first.first == forget[2]; });
    }
    return absl::OkStatus();
  }
  if (const auto add =
          Match(sql, R"(^INSERT INTO sysfleet_dataset .* \('(\w+)', '(.*)', '(\w+)'\)$)");
      !add.empty()) {
    const bool added = records.emplace(add[1], Record{add[2], add[3]}).second;
    return added ? absl::OkStatus() : absl::AlreadyExistsError("23505 record exists");
  }
  const auto set = Match(sql, R"(SET state = '(\w+)' WHERE table_name = '(\w+)'$)");
  if (set.empty()) return absl::InternalError(fmt::format("42601 syntax: {}", sql));
  records.at(set[2]).state = set[1];
  return absl::OkStatus();
}

absl::Status FakeDatabase::LoadChunk(const v1::Chunk& chunk) {
  const std::string& name = chunk.table().table();
  const auto table = tables.find(name);
  if (table == tables.end()) return absl::InternalError("42P01 no such table");
  if (table->second.indexes.empty() == index_before_rows) {
    return absl::InternalError("rows and index in the wrong order");
  }
  if (records.at(name).state != "loading") return absl::InternalError("not in state loading");
  std::set<int64_t>& ids = table->second.ids;
  const auto present = ids.lower_bound(chunk.first_row());
  if (present != ids.end() && *present <= chunk.last_row()) {
    return absl::AlreadyExistsError("23505 id exists");
  }
  const std::string record = fmt::format(
      "INSERT INTO sysfleet_chunk (table_name, first_row, last_row) VALUES ('{}', {}, {})", name,
      chunk.first_row(), chunk.last_row());
  if (chunk.completed_sql() != record) return absl::InternalError("42601 not a chunk's record");
  if (!chunks.emplace(std::pair(name, chunk.first_row()), chunk.last_row()).second) {
    return absl::AlreadyExistsError("23505 chunk exists");
  }
  for (int64_t id = chunk.first_row(); id <= chunk.last_row(); ++id) ids.insert(ids.end(), id);
  ++chunks_loaded;
  return absl::OkStatus();
}

}  // namespace sysfleet
