#include "coordinator/plan/sections.h"

namespace sysfleet {

void ReadFleet(Section& top, Plan& plan) {
  Section section = top.Sub("fleet");
  section.Read("lease", plan.fleet.lease, 1);
  section.ReportUnknown();
}

}  // namespace sysfleet
