#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

#include "coordinator/result/store.h"

namespace sysfleet {
namespace {

/// Quoted where a comma, a quote or a line's end would be taken for the CSV's own.
std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

double Milliseconds(double ns) {
  return ns / 1e6;
}

}  // namespace

std::string WindowsCsv(const RunResult& result) {
  std::string csv =
      "cell,workload,threads,second,phase,gap,transactions,reads,writes,others,errors,reconnects,"
      "mean_ms";
  auto out = std::back_inserter(csv);
  for (const double percent : result.percentiles) fmt::format_to(out, ",p{:g}_ms", percent);
  csv += ",max_ms,merged_after_ms,rate,queued,active\n";
  for (const CellResult& cell : result.cells) {
    const std::string workload = CsvField(cell.workload);
    for (const WindowResult& window : cell.windows) {
      fmt::format_to(out, "{},{},{},{},{},{:d},{},{},{},{},{},{},{:.6f}", cell.number, workload,
                     cell.threads, window.second, window.measured ? "measured" : "warm-up",
                     window.gap, window.transactions, window.reads, window.writes, window.others,
                     window.errors, window.reconnects, Milliseconds(window.mean_ns));
      for (const int64_t ns : window.percentile_ns) {
        fmt::format_to(out, ",{:.6f}", Milliseconds(static_cast<double>(ns)));
      }
      fmt::format_to(out, ",{:.6f},", Milliseconds(static_cast<double>(window.max_ns)));
      if (window.merged_after_ms) fmt::format_to(out, "{:.3f}", *window.merged_after_ms);
      csv += ',';
      if (cell.open_loop) fmt::format_to(out, "{}", cell.open_loop->rate_per_s);
      csv += ',';
      if (window.queue) fmt::format_to(out, "{},{}", window.queue->queued, window.queue->active);
      if (!window.queue) csv += ',';
      csv += '\n';
    }
  }
  return csv;
}

}  // namespace sysfleet
