#include "agent/engine/capture.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace sysfleet {

absl::Status CaptureRow(std::span<const ProgramCapture> captures, std::span<const ResultRow> rows,
                        const std::vector<Generator>& generators, Variables& variables) {
  if (rows.empty()) return absl::NotFoundError("the statement found no row");
  for (const ProgramCapture& capture : captures) {
    if (capture.column >= rows.front().size()) {
      return absl::InvalidArgumentError(fmt::format("the result has no column {}, but {}",
                                                    capture.column + 1, rows.front().size()));
    }
    const std::optional<std::string>& field = rows.front()[capture.column];
    const std::string_view text = field ? std::string_view(*field) : std::string_view();
    if (generators[capture.variable].is_text()) {
      variables.Set(capture.variable, text);
      continue;
    }
    int64_t integer = 0;
    if (field) {
      const auto end = std::from_chars(text.data(), text.data() + text.size(), integer);
      if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) {
        return absl::InvalidArgumentError(
            fmt::format("column {} of the result is no integer: '{}'", capture.column + 1, text));
      }
    }
    variables.Set(capture.variable, integer);
  }
  return absl::OkStatus();
}

}  // namespace sysfleet
