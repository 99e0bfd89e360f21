// What an audit found, for people. Pure.
#pragma once

#include <string>

#include "coordinator/result/result.h"

namespace sysfleet {

/// "4 tables hold what was confirmed: 20 rows inserted, 20 deleted, k raised 1,234 times", or the
/// first table that does not: "sbtest3: the sum of k is 5,001,233; from 5,000,000, confirmed
/// changes lead to 5,001,234".
std::string Describe(const AuditResult& audit);

}  // namespace sysfleet
