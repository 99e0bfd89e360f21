#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/report.h"
#include "coordinator/result/client_limit.h"

namespace sysfleet {
namespace {

/// Columns are as wide as large clusters need, and not as this table's figures need: a row is
/// printed before the next is known.
class Line {
 public:
  void Add(std::string_view text, int width) {
    fmt::format_to(std::back_inserter(text_), "{:>{}}", text, width);
  }
  std::string TakeWith(std::string_view ending) { return text_.append(ending).append("\n"); }

 private:
  std::string text_;
};

/// Which columns a workload's table has beside those of every table.
struct Columns {
  ReferenceColumns reference;
  bool rate = false;
};

Line MakeLine(const CellFigures& cells, const Columns& columns) {
  const ReferenceColumns& reference = columns.reference;
  Line line;
  line.Add(cells.threads, 9);
  if (columns.rate) line.Add(cells.rate, 11);
  line.Add(cells.tps, 12);
  line.Add(cells.qps, 14);
  line.Add(cells.mean_ms, 11);
  for (const std::string& percentile : cells.percentiles_ms) line.Add(percentile, 11);
  line.Add(cells.errors_per_second, 11);
  line.Add(cells.client_share, 9);
  if (reference.tps) {
    line.Add(cells.reference_tps, 12);
    line.Add(cells.tps_ratio, 8);
  }
  if (reference.p95) line.Add(cells.reference_p95_ms, 12);
  return line;
}

}  // namespace

std::string ConsoleHead(const RunResult& result, const std::string& workload,
                        const std::vector<ReferenceRow>& reference) {
  CellFigures heads{.threads = "threads",
                    .rate = "rate/s",
                    .tps = "TPS",
                    .qps = "QPS",
                    .mean_ms = "avg ms",
                    .errors_per_second = "errors/s",
                    .client_share = "client",
                    .reference_tps = "ref TPS",
                    .tps_ratio = "×",
                    .reference_p95_ms = "ref P95 ms"};
  for (const double percent : result.percentiles) {
    heads.percentiles_ms.push_back(PercentileName(percent) + " ms");
  }
  const Columns columns{ColumnsOf(reference, workload), HasRates(result, workload)};
  return workload + "\n" + MakeLine(heads, columns).TakeWith("");
}

std::string ConsoleRow(const RunResult& result, const CellResult& cell,
                       const std::vector<ReferenceRow>& reference) {
  std::string ending = Ending(cell);
  if (ending.empty()) ending = RateProblem(cell);
  const Columns columns{ColumnsOf(reference, cell.workload), HasRates(result, cell.workload)};
  return MakeLine(FiguresOf(result, cell, reference), columns)
      .TakeWith(ending.empty() ? "" : "   " + ending);
}

std::string ConsoleHint(const RunResult& result, const std::string& workload) {
  std::vector<std::string> threads;
  const CellResult* worst_cell = nullptr;
  const AgentCellResult* worst = nullptr;
  for (const CellResult& cell : result.cells) {
    if (cell.workload != workload) continue;
    const AgentCellResult* agent = LimitingAgent(cell);
    if (agent == nullptr) continue;
    threads.push_back(WithThousands(cell.threads, 0));
    if (worst == nullptr || ClientStrain(cell, *agent) > ClientStrain(*worst_cell, *worst)) {
      worst_cell = &cell;
      worst = agent;
    }
  }
  if (worst == nullptr) return "";
  const ClientFigures figures = ClientFiguresOf(*worst_cell, *worst);
  return fmt::format(
      "client     limits the figures at threads {}: {}, client share {}, busiest reactor {} busy; "
      "add client cores or agents\n",
      fmt::join(threads, ", "), OneLine(worst->address), figures.client_share,
      figures.busiest_reactor);
}

}  // namespace sysfleet
