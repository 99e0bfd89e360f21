// SQL and rows of the tables that a plan defines itself. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "coordinator/plan/plan.h"

namespace sysfleet {

namespace v1 {
class TableData;
}

std::string CreateOwnTableSql(const OwnTable& table);
std::vector<std::string> CreateOwnIndexesSql(const OwnTable& table);

/// Columns and generators of its rows, as a chunk order carries them. `number` is its place in the
/// plan, from 1, which its random values depend on.
v1::TableData OwnTableData(const Plan& plan, const OwnTable& table, int number);

}  // namespace sysfleet
