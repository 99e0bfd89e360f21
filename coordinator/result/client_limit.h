// Whether it was the clients, and not the database, that limited a cell. Pure functions.
#pragma once

#include "coordinator/result/result.h"

namespace sysfleet {

/// Above either of these, an agent limits its cell: a fifth of its connections' time is not the
/// database's, or a reactor has hardly any time left.
inline constexpr double kClientShareMax = 0.20;
inline constexpr double kReactorShareMax = 0.90;

/// How near an agent is to these limits: 1 is at one of them, and more is beyond. 0 where nothing
/// is known.
double ClientStrain(const CellResult& cell, const AgentCellResult& agent);

/// A reactor of some agent has hardly any time left: more load would only wait in the client.
bool HasNoTimeLeft(const CellResult& cell);

/// The agent that is farthest beyond the limits; nullptr where none is.
const AgentCellResult* LimitingAgent(const CellResult& cell);

}  // namespace sysfleet
