#include "coordinator/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/base/text.h"

namespace sysfleet {
namespace {

std::string Milliseconds(double ns) {
  return WithThousands(ns / 1e6, 2);
}

std::string PercentileMs(const Histogram& histogram, double percent) {
  return Milliseconds(static_cast<double>(histogram.PercentileNs(percent)));
}

std::string Percent(double share) {
  return fmt::format("{:.0f} %", share * 100);
}

/// `format` of the value, where there is one.
template <typename T, typename Format>
std::string OrUnknown(const std::optional<T>& value, Format format) {
  return value ? format(*value) : std::string(kUnknown);
}

ClientFigures FiguresOf(const ClientLoad& load) {
  return {
      .busy = OrUnknown(load.busy_share, Percent),
      .busiest_reactor = OrUnknown(load.busiest_reactor_share, Percent),
      .batch_p99_ms =
          OrUnknown(load.batch_p99_ns,
                    [](int64_t ns) { return WithThousands(static_cast<double>(ns) / 1e6, 3); }),
      .cpu_cores = OrUnknown(load.cpu_cores, [](double cores) { return WithThousands(cores, 2); }),
      .stolen = OrUnknown(load.stolen_share,
                          [](double share) { return fmt::format("{:.1f} %", share * 100); })};
}

std::string Ratio(double ours, double reference) {
  return fmt::format("{:.2f}×", ours / reference);
}

const ReferenceRow* FindRow(const std::vector<ReferenceRow>& reference, const CellResult& cell) {
  const auto row = std::find_if(reference.begin(), reference.end(), [&](const ReferenceRow& r) {
    return r.workload == cell.workload && (r.threads == cell.threads || r.threads == 0);
  });
  return row == reference.end() ? nullptr : &*row;
}

void AddReference(const ReferenceRow& row, const CellResult& cell, CellFigures& figures) {
  if (row.tps > 0) {
    figures.reference_tps = WithThousands(row.tps, 1);
    if (cell.measured_seconds > 0) figures.tps_ratio = Ratio(cell.Tps(), row.tps);
  }
  if (row.p95_ms > 0) {
    figures.reference_p95_ms = WithThousands(row.p95_ms, 2);
    if (cell.transactions > 0) {
      figures.p95_ratio =
          Ratio(static_cast<double>(cell.Response().PercentileNs(95)) / 1e6, row.p95_ms);
    }
  }
}

}  // namespace

CellFigures FiguresOf(const RunResult& result, const CellResult& cell,
                      const std::vector<ReferenceRow>& reference) {
  const std::string unknown(kUnknown);
  CellFigures figures{
      .threads = WithThousands(cell.threads, 0),
      .rate = cell.open_loop ? RateText(cell.open_loop->rate_per_s) : unknown,
      .tps = unknown,
      .qps = unknown,
      .mean_ms = unknown,
      .percentiles_ms = std::vector<std::string>(result.percentiles.size(), unknown),
      .errors_per_second = unknown,
      .client_share = unknown,
      .reference_tps = unknown,
      .tps_ratio = unknown,
      .reference_p95_ms = unknown,
      .p95_ratio = unknown,
  };
  if (cell.measured_seconds > 0) {
    figures.tps = WithThousands(cell.Tps(), 1);
    figures.qps = WithThousands(cell.Qps(), 1);
    figures.errors_per_second = WithThousands(cell.ErrorsPerSecond(), 1);
  }
  if (cell.transactions > 0) {
    figures.mean_ms = Milliseconds(cell.Response().MeanNs());
    for (size_t i = 0; i < result.percentiles.size(); ++i) {
      figures.percentiles_ms[i] = PercentileMs(cell.Response(), result.percentiles[i]);
    }
    figures.client_share = OrUnknown(cell.ClientShare(), Percent);
  }
  const ReferenceRow* row = FindRow(reference, cell);
  if (row != nullptr) AddReference(*row, cell, figures);
  return figures;
}

ClientFigures ClientFiguresOf(const CellResult& cell) {
  ClientFigures figures = FiguresOf(cell.load);
  figures.connections = WithThousands(cell.threads, 0);
  figures.tps = cell.measured_seconds > 0 ? WithThousands(cell.Tps(), 1) : std::string(kUnknown);
  figures.client_share = OrUnknown(cell.ClientShare(), Percent);
  return figures;
}

ClientFigures ClientFiguresOf(const CellResult& cell, const AgentCellResult& agent) {
  ClientFigures figures = FiguresOf(agent.load);
  figures.connections = WithThousands(agent.connections, 0);
  figures.tps =
      cell.measured_seconds > 0 ? WithThousands(cell.Tps(agent), 1) : std::string(kUnknown);
  figures.client_share = OrUnknown(cell.ClientShare(agent), Percent);
  return figures;
}

OpenLoopFigures OpenLoopFiguresOf(const CellResult& cell, double percent) {
  const std::string unknown(kUnknown);
  const OpenLoopResult& loop = *cell.open_loop;
  OpenLoopFigures figures{.rate = RateText(loop.rate_per_s),
                          .reached = unknown,
                          .missed = unknown,
                          .response_ms = unknown,
                          .service_ms = unknown,
                          .waiting_ms = unknown,
                          .not_begun = Grouped(static_cast<int64_t>(loop.not_begun))};
  if (cell.measured_seconds > 0) {
    figures.reached = WithThousands(cell.Tps(), 1);
    figures.missed = fmt::format("{:.1f} %", cell.RateMissed() * 100);
  }
  if (cell.transactions > 0) {
    figures.response_ms = PercentileMs(loop.response, percent);
    figures.service_ms = PercentileMs(cell.latency, percent);
    figures.waiting_ms = PercentileMs(loop.waiting, percent);
  }
  return figures;
}

bool HasRates(const RunResult& result, std::string_view workload) {
  return std::any_of(result.cells.begin(), result.cells.end(), [&](const CellResult& cell) {
    return cell.open_loop && cell.workload == workload;
  });
}

std::vector<ShownCell> ShownCells(const RunResult& result, std::string_view workload) {
  std::vector<std::vector<const CellResult*>> groups;
  for (const CellResult& cell : result.cells) {
    if (cell.workload != workload) continue;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& candidate) {
      const CellResult& first = *candidate.front();
      // What did not come to its end, and what a search came to twice, stands for itself.
      return cell.repetition > 1 && cell.status == CellStatus::kComplete &&
             first.status == CellStatus::kComplete && LoadOf(first) == LoadOf(cell);
    });
    if (group == groups.end()) {
      groups.push_back({&cell});
    } else {
      group->push_back(&cell);
    }
  }
  std::vector<ShownCell> shown;
  for (auto& group : groups) {
    std::stable_sort(group.begin(), group.end(),
                     [](const CellResult* a, const CellResult* b) { return a->Tps() < b->Tps(); });
    // Of an even number the lower one of both in the middle.
    shown.push_back({.cell = group[(group.size() - 1) / 2],
                     .repetitions = static_cast<int>(group.size()),
                     .tps_min = group.front()->Tps(),
                     .tps_max = group.back()->Tps()});
  }
  return shown;
}

std::string RateProblem(const CellResult& cell) {
  constexpr double kMissedMax = 0.01;
  if (!cell.open_loop || cell.RateMissed() <= kMissedMax) return "";
  return fmt::format("rate missed by {}, {} starts never begun", Percent(cell.RateMissed()),
                     Grouped(static_cast<int64_t>(cell.open_loop->not_begun)));
}

ReferenceColumns ColumnsOf(const std::vector<ReferenceRow>& reference,
                           const std::string& workload) {
  ReferenceColumns columns;
  for (const ReferenceRow& row : reference) {
    if (row.workload != workload) continue;
    columns.tps = columns.tps || row.tps > 0;
    columns.p95 = columns.p95 || row.p95_ms > 0;
  }
  return columns;
}

std::string PercentileName(double percent) {
  return fmt::format("P{:g}", percent);
}

std::string Ending(const CellResult& cell) {
  const std::string why = cell.problem.empty() ? "" : ": " + OneLine(cell.problem);
  switch (cell.status) {
    case CellStatus::kComplete:
      return "";
    case CellStatus::kInterrupted:
      return "interrupted" + why;
    case CellStatus::kFailed:
      return "failed" + why;
  }
  return "";
}

std::string OneLine(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace sysfleet
