// Interprets the tasks of a preparer, by the kinds of statements that it sends, and keeps what a
// server would keep. Any order that a real server would refuse is an error here too. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace sysfleet {

namespace v1 {
class Chunk;
class Row;
class Task;
class TaskDone;
}  // namespace v1

struct FakeTable {
  std::vector<std::string> columns = {"id", "k", "c", "pad"};
  bool auto_inc = true;
  std::set<std::string> indexes;
  std::set<int64_t> ids;
  bool sequence_cached = false;
  int64_t counter = 0;

  bool operator==(const FakeTable&) const = default;
};

class FakeDatabase {
 public:
  explicit FakeDatabase(std::string version = "PostgreSQL 15.18 (Debian 15.18-1) on x86_64-linux")
      : version_(std::move(version)) {}

  /// What breaks a task off.
  enum class Fault : uint8_t {
    kNone,
    kAborted,     // nothing is done
    kLostBefore,  // nothing is done
    kLostWithin,  // the first statement of a script is done, nothing of a chunk
    kLostAfter    // all is done
  };

  v1::TaskDone Execute(const v1::Task& task, Fault fault = Fault::kNone);

  /// From now on only so many statements and chunks are done; then every connection is lost, in the
  /// middle of a script too.
  void CutAfter(int64_t steps) { steps_left_ = steps; }
  void Restore() { steps_left_ = kEndless; }

  /// A table as another program would have left it.
  void AddTable(const std::string& name, int64_t rows, bool auto_inc, bool secondary);

  struct Record {
    std::string spec;
    std::string state;
    bool operator==(const Record&) const = default;
  };

  std::map<std::string, FakeTable> tables;
  std::map<std::string, Record> records;
  std::map<std::pair<std::string, int64_t>, int64_t> chunks;
  bool records_exist = false;
  /// Which of the two orders rows may come in.
  bool index_before_rows = false;

  /// Chunks that were loaded for good, and statements that made tables.
  int chunks_loaded = 0;
  int tables_created = 0;

 private:
  static constexpr int64_t kEndless = -1;

  bool TakeStep();
  absl::Status Statement(const std::string& sql, std::vector<v1::Row>& rows);
  absl::Status Change(const std::string& sql);
  absl::Status ChangeRecords(const std::string& sql);
  absl::Status Create(const std::string& sql);
  absl::Status LoadChunk(const v1::Chunk& chunk);
  void SelectCatalog(const std::string& sql, std::vector<v1::Row>& rows) const;
  void SelectRecords(const std::string& sql, std::vector<v1::Row>& rows) const;
  void SelectIds(const std::string& sql, std::vector<v1::Row>& rows) const;

  const std::string version_;
  int64_t steps_left_ = kEndless;
};

}  // namespace sysfleet
