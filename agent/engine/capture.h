// Values of a statement's result for later statements. Pure.
#pragma once

#include <span>

#include "absl/status/status.h"
#include "agent/database/connection.h"
#include "agent/engine/generator.h"
#include "agent/engine/program.h"

namespace sysfleet {

/// Sets variables from the first of `rows`; NULL is 0 or empty. NOT_FOUND where there is no row;
/// INVALID_ARGUMENT where a column is not there, or is no integer where one is wanted.
absl::Status CaptureRow(std::span<const ProgramCapture> captures, std::span<const ResultRow> rows,
                        const std::vector<Generator>& generators, Variables& variables);

}  // namespace sysfleet
