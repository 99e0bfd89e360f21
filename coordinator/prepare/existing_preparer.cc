#include <fmt/format.h>

#include <string>
#include <vector>

#include "coordinator/prepare/preparer.h"
#include "coordinator/prepare/staged_preparer.h"
#include "coordinator/prepare/text.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

// Prepares nothing: somebody else has made the tables, sysbench for instance.
class ExistingPreparer final : public StagedPreparer {
 public:
  explicit ExistingPreparer(const Plan& plan) : plan_(plan) {}

  PrepareProgress progress() const override {
    PrepareProgress progress;
    if (finished()) progress.phase = PreparePhase::kDone;
    return progress;
  }

  std::vector<std::string> notes() const override {
    return LinesByTable(std::vector<std::string>(static_cast<size_t>(plan_.dataset.tables),
                                                 "taken as existing, not looked at"));
  }

 protected:
  bool Enter(int stage) override {
    if (stage > 0) return false;
    AddVersionJob(plan_.database.driver);
    return true;
  }

 private:
  const Plan plan_;
};

}  // namespace

std::unique_ptr<Preparer> MakeExistingPreparer(const Plan& plan) {
  return std::make_unique<ExistingPreparer>(plan);
}

}  // namespace sysfleet
