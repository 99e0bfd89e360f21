#include <fmt/format.h>

#include <string>
#include <vector>

#include "coordinator/prepare/jobs.h"
#include "coordinator/prepare/staged_preparer.h"
#include "coordinator/prepare/text.h"
#include "coordinator/workload/dialect.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

// Large enough that no server writes its temporary tables to disk.
constexpr std::string_view kMemoryBytes = "2*1024*1024*1024";

class Warmer final : public StagedPreparer {
 public:
  explicit Warmer(const Plan& plan) : plan_(plan) {}

  PrepareProgress progress() const override { return progress_; }

  std::vector<std::string> notes() const override {
    return LinesByTable(
        std::vector<std::string>(static_cast<size_t>(plan_.dataset.tables), "read"));
  }

 protected:
  bool Enter(int stage) override {
    switch (stage) {
      case 0:
        AddVersionJob(plan_.database.driver);
        return true;
      case 1:
        ReadTables();
        return true;
      default:
        progress_.phase = PreparePhase::kDone;
        return false;
    }
  }

 private:
  void ReadTables() {
    progress_.phase = PreparePhase::kLoading;
    for (int number = 1; number <= plan_.dataset.tables; ++number) {
      progress_.loaded_tables.push_back(number);
      queue_.Add(ScriptJob(TableName(number), SqlOf(TableName(number))));
    }
  }

  std::vector<std::string> SqlOf(const std::string& table) const {
    const int64_t rows = plan_.dataset.table_size;
    return {
        fmt::format("SET tmp_table_size={}", kMemoryBytes),
        fmt::format("SET max_heap_table_size={}", kMemoryBytes),
        fmt::format("ANALYZE TABLE {}", table),
        fmt::format("SELECT AVG(id) FROM (SELECT * FROM {} FORCE KEY (PRIMARY) LIMIT {}) t", table,
                    rows),
        fmt::format("SELECT COUNT(*) FROM (SELECT * FROM {} WHERE k LIKE '%0%' LIMIT {}) t", table,
                    rows),
    };
  }

  const Plan plan_;
  PrepareProgress progress_;
};

}  // namespace

std::unique_ptr<Preparer> MakeWarmer(const Plan& plan) {
  return std::make_unique<Warmer>(plan);
}

}  // namespace sysfleet
