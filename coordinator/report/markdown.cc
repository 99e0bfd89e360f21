#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/report.h"
#include "coordinator/result/audit.h"
#include "coordinator/result/client_limit.h"

namespace sysfleet {
namespace {

constexpr size_t kMaxAgentsNamed = 8;
constexpr size_t kMaxAgentsACell = 8;

/// Text that others wrote (servers' messages, the plan's names) as Markdown that shows it as it is.
std::string Escape(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*<>[]|&#";
  std::string escaped;
  for (const char c : OneLine(text)) {
    if (kSpecial.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string TableRow(const std::vector<std::string>& fields) {
  return fmt::format("| {} |\n", fmt::join(fields, " | "));
}

/// The first `left` columns hold text, all others figures.
std::string TableHead(const std::vector<std::string>& heads, size_t left) {
  std::string rule = "|";
  for (size_t i = 0; i < heads.size(); ++i) rule += i < left ? "---|" : "---:|";
  return TableRow(heads) + rule + "\n";
}

std::string CellName(const CellResult& cell) {
  return fmt::format("{}, {}", Escape(cell.workload), LoadOf(cell));
}

std::string Fleet(const RunResult& result) {
  std::string text =
      fmt::format("{}, {}: ", Counted(static_cast<int64_t>(result.agents.size()), "agent"),
                  Counted(FleetCores(result), "core"));
  const size_t named = std::min(result.agents.size(), kMaxAgentsNamed);
  for (size_t i = 0; i < named; ++i) {
    if (i > 0) text += ", ";
    text += Escape(result.agents[i].address);
  }
  if (named < result.agents.size()) {
    text += fmt::format(" and {} more", result.agents.size() - named);
  }
  return text;
}

std::string Head(const RunResult& result) {
  std::string text = fmt::format("# {}\n\n", Escape(result.name));
  const auto add = [&text](std::string_view what, const std::string& value) {
    if (!value.empty()) text += fmt::format("- {}: {}\n", what, value);
  };
  add("Run", fmt::format("{}, sysfleet {}", Escape(result.run_id), Escape(result.version)));
  add("Started", Escape(result.started));
  if (!result.agents.empty()) add("Fleet", Fleet(result));
  add("Database", Escape(result.server_version));
  add("Data set", Escape(result.data_set));
  return text;
}

std::vector<std::string> ColumnHeads(const RunResult& result, const ReferenceColumns& columns,
                                     bool has_rates) {
  std::vector<std::string> heads = {"Threads"};
  if (has_rates) heads.emplace_back("Rate (/s)");
  heads.insert(heads.end(), {"TPS", "QPS", "avg (ms)"});
  for (const double percent : result.percentiles) {
    heads.push_back(PercentileName(percent) + " (ms)");
  }
  heads.emplace_back("errors/s");
  if (columns.tps) heads.insert(heads.end(), {"ref TPS", "×"});
  if (columns.p95) heads.insert(heads.end(), {"ref P95 (ms)", "×"});
  return heads;
}

std::vector<std::string> Columns(const CellFigures& figures, const ReferenceColumns& columns,
                                 bool has_rates) {
  std::vector<std::string> fields = {figures.threads};
  if (has_rates) fields.push_back(figures.rate);
  fields.insert(fields.end(), {figures.tps, figures.qps, figures.mean_ms});
  fields.insert(fields.end(), figures.percentiles_ms.begin(), figures.percentiles_ms.end());
  fields.push_back(figures.errors_per_second);
  if (columns.tps) fields.insert(fields.end(), {figures.reference_tps, figures.tps_ratio});
  if (columns.p95) fields.insert(fields.end(), {figures.reference_p95_ms, figures.p95_ratio});
  return fields;
}

std::string WorkloadTable(const RunResult& result, const std::string& workload,
                          const std::vector<ReferenceRow>& reference) {
  const ReferenceColumns columns = ColumnsOf(reference, workload);
  std::string text = fmt::format("\n## {}\n\n", Escape(workload));
  const bool has_rates = HasRates(result, workload);
  if (has_rates) {
    text += "Times are response times: from the intended start of a transaction to its end.\n\n";
  }
  const std::vector<ShownCell> cells = ShownCells(result, workload);
  const bool is_repeated = std::any_of(
      cells.begin(), cells.end(), [](const ShownCell& shown) { return shown.repetitions > 1; });
  std::vector<std::string> heads = ColumnHeads(result, columns, has_rates);
  if (is_repeated) {
    text += "Of several repetitions the one with the median TPS.\n\n";
    heads.insert(heads.end(), {"Repetitions", "TPS min to max"});
  }
  text += TableHead(heads, 0);
  for (const ShownCell& shown : cells) {
    CellFigures figures = FiguresOf(result, *shown.cell, reference);
    if (shown.cell->status == CellStatus::kInterrupted) figures.threads += " (interrupted)";
    if (shown.cell->status == CellStatus::kFailed) figures.threads += " (failed)";
    std::vector<std::string> fields = Columns(figures, columns, has_rates);
    if (is_repeated) {
      fields.insert(fields.end(), {Grouped(shown.repetitions),
                                   fmt::format("{} to {}", WithThousands(shown.tps_min, 1),
                                               WithThousands(shown.tps_max, 1))});
    }
    text += TableRow(fields);
  }
  return text;
}

/// In the order in which the run came to them.
std::vector<std::string> Workloads(const RunResult& result) {
  std::vector<std::string> workloads;
  for (const CellResult& cell : result.cells) {
    if (std::find(workloads.begin(), workloads.end(), cell.workload) == workloads.end()) {
      workloads.push_back(cell.workload);
    }
  }
  return workloads;
}

/// In the fleet's order; where they are many, those that had the hardest work.
std::vector<const AgentCellResult*> AgentsToShow(const CellResult& cell) {
  std::vector<const AgentCellResult*> agents;
  for (const AgentCellResult& agent : cell.agents) agents.push_back(&agent);
  if (agents.size() <= kMaxAgentsACell) return agents;
  std::stable_sort(agents.begin(), agents.end(),
                   [&cell](const AgentCellResult* a, const AgentCellResult* b) {
                     return ClientStrain(cell, *a) > ClientStrain(cell, *b);
                   });
  agents.resize(kMaxAgentsACell);
  return agents;
}

std::string ClientRow(const CellResult& cell, std::string agent, const ClientFigures& figures) {
  return TableRow({Escape(cell.workload), WithThousands(cell.threads, 0), std::move(agent),
                   figures.connections, figures.tps, figures.client_share, figures.busy,
                   figures.busiest_reactor, figures.batch_p99_ms, figures.cpu_cores,
                   figures.stolen});
}

/// Of workloads with several kinds of transactions.
std::string TransactionKinds(const RunResult& result) {
  std::string rows;
  for (const CellResult& cell : result.cells) {
    if (cell.transaction_kinds.size() < 2) continue;
    for (const OperationResult& kind : cell.transaction_kinds) {
      std::vector<std::string> fields = {
          Escape(cell.workload), WithThousands(cell.threads, 0), Escape(kind.name),
          cell.measured_seconds > 0
              ? WithThousands(static_cast<double>(kind.latency.count()) / cell.measured_seconds, 1)
              : std::string(kUnknown),
          WithThousands(kind.latency.MeanNs() / 1e6, 2)};
      for (const double percent : result.percentiles) {
        fields.push_back(
            WithThousands(static_cast<double>(kind.latency.PercentileNs(percent)) / 1e6, 2));
      }
      rows += TableRow(fields);
    }
  }
  if (rows.empty()) return "";
  std::vector<std::string> heads = {"Workload", "Threads", "Transaction", "TPS", "avg (ms)"};
  for (const double percent : result.percentiles) {
    heads.push_back(PercentileName(percent) + " (ms)");
  }
  return "\n## Transactions\n\nLatencies, from the first statement sent to the last reply.\n\n" +
         TableHead(heads, 3) + rows;
}

/// How hard the client machines had to work: a row for each agent of a cell, and one for all.
std::string Client(const RunResult& result) {
  std::string rows;
  size_t agents_max = 0;
  for (const CellResult& cell : result.cells) {
    agents_max = std::max(agents_max, cell.agents.size());
    if (cell.agents.size() > 1) {
      rows += ClientRow(cell, fmt::format("all {}", cell.agents.size()), ClientFiguresOf(cell));
    }
    for (const AgentCellResult* agent : AgentsToShow(cell)) {
      rows += ClientRow(cell, Escape(agent->address), ClientFiguresOf(cell, *agent));
    }
  }
  if (rows.empty()) return "";
  std::string text =
      "\n## Client\n\nThe share of the connections' time that was spent in the client and not "
      "waiting for the database, and how hard the client machines had to work.";
  if (agents_max > kMaxAgentsACell) {
    text += fmt::format(" Of each cell, the {} agents that were nearest to their limits.",
                        kMaxAgentsACell);
  }
  return text + "\n\n" +
         TableHead({"Workload", "Threads", "Agent", "Connections", "TPS", "Client", "Busy",
                    "Busiest reactor", "Batch P99 (ms)", "CPU cores", "Stolen"},
                   3) +
         rows;
}

/// Response, service and waiting time apart, at the first percentile of the report.
std::string OpenLoop(const RunResult& result) {
  const double percent = result.percentiles.empty() ? 95 : result.percentiles.front();
  std::string rows;
  for (const CellResult& cell : result.cells) {
    if (!cell.open_loop) continue;
    const OpenLoopFigures figures = OpenLoopFiguresOf(cell, percent);
    rows += TableRow({Escape(cell.workload), WithThousands(cell.threads, 0), figures.rate,
                      figures.reached, figures.missed, figures.response_ms, figures.service_ms,
                      figures.waiting_ms, figures.not_begun});
  }
  if (rows.empty()) return "";
  const std::string name = PercentileName(percent);
  return "\n## Open loop\n\nTransactions start when it is time for them, or as soon after that as "
         "a "
         "connection is free. Response time is from the intended start to the end: waiting for a "
         "connection, then service.\n\n" +
         TableHead(
             {"Workload", "Threads", "Rate (/s)", "TPS", "Missed", "Response " + name + " (ms)",
              "Service " + name + " (ms)", "Waiting " + name + " (ms)", "Never begun"},
             1) +
         rows;
}

std::string Errors(const RunResult& result) {
  std::string rows;
  for (const CellResult& cell : result.cells) {
    for (const ErrorResult& error : cell.error_kinds) {
      rows += TableRow({Escape(cell.workload), WithThousands(cell.threads, 0),
                        Escape(error.statement), Escape(error.code), Escape(error.example),
                        WithThousands(static_cast<double>(error.count), 0)});
    }
  }
  if (rows.empty()) return "";
  return "\n## Errors\n\nOver everything that was executed, the warm-up included.\n\n" +
         TableHead({"Workload", "Threads", "Statement", "Code", "Example", "Count"}, 5) + rows;
}

std::string Searches(const RunResult& result) {
  std::string text;
  for (const SearchResult& search : result.searches) {
    text += fmt::format("\n{}: {}.\n\n", Escape(search.workload), Escape(Describe(search)));
    text +=
        TableHead({"Cell", search.vary == "rate" ? "Rate (/s)" : "Threads", "TPS", "Missed"}, 0);
    for (const SearchLevelResult& level : search.levels) {
      text += TableRow({Grouped(level.cell), Grouped(level.level), WithThousands(level.tps, 1),
                        level.missed.empty() ? "-" : Escape(level.missed)});
    }
  }
  return text.empty() ? "" : "\n## Search\n" + text;
}

/// Of warm-ups that may end early.
std::string Warmups(const RunResult& result) {
  std::string lines;
  for (const CellResult& cell : result.cells) {
    if (!cell.warmup) continue;
    const WarmupResult& warmup = *cell.warmup;
    lines += warmup.steady ? fmt::format("- {}: steady, ended after {} of {} s\n", CellName(cell),
                                         warmup.seconds, warmup.seconds_max)
                           : fmt::format("- {}: throughput was not steady within {} s\n",
                                         CellName(cell), warmup.seconds_max);
  }
  return lines.empty() ? "" : "\n## Warm-up\n\n" + lines;
}

std::string Audits(const RunResult& result) {
  std::string lines;
  for (const CellResult& cell : result.cells) {
    if (!cell.audit) continue;
    lines += fmt::format("- {}: {}\n", CellName(cell), Escape(Describe(*cell.audit)));
  }
  return lines.empty() ? "" : "\n## Audit\n\n" + lines;
}

std::string Invariants(const RunResult& result) {
  std::string lines;
  for (const CellResult& cell : result.cells) {
    for (const InvariantResult& invariant : cell.invariants) {
      lines += fmt::format("- {}: {}\n", CellName(cell), Escape(Describe(invariant)));
    }
  }
  return lines.empty() ? "" : "\n## Invariants\n\n" + lines;
}

std::string HowItEnded(const RunResult& result) {
  const auto complete = static_cast<size_t>(
      std::count_if(result.cells.begin(), result.cells.end(),
                    [](const CellResult& cell) { return cell.status == CellStatus::kComplete; }));
  const size_t planned =
      std::max(result.cells.size(), static_cast<size_t>(std::max(result.planned_cells, 0)));
  std::string text = "\n## How it ended\n\n";
  text += complete == planned
              ? fmt::format("Complete: {}.\n", Counted(static_cast<int64_t>(planned), "cell"))
              : fmt::format("{} of {} complete.\n", complete,
                            Counted(static_cast<int64_t>(planned), "cell"));
  if (result.interrupted) text += "\nThe run was interrupted.\n";
  if (!result.problem.empty()) {
    text += fmt::format("\nThe run ended early: {}\n", Escape(result.problem));
  }
  std::string cells;
  for (const CellResult& cell : result.cells) {
    if (cell.status != CellStatus::kComplete) {
      cells += fmt::format("- {}: {}\n", CellName(cell), Escape(Ending(cell)));
    }
    const auto gaps = std::count_if(cell.windows.begin(), cell.windows.end(),
                                    [](const WindowResult& w) { return w.measured && w.gap; });
    if (gaps > 0) {
      cells += fmt::format("- {}: measured windows that are gaps, and not in its figures: {}\n",
                           CellName(cell), gaps);
    }
  }
  return cells.empty() ? text : text + "\n" + cells;
}

}  // namespace

std::string Markdown(const RunResult& result, const std::vector<ReferenceRow>& reference) {
  std::string text = Head(result);
  for (const std::string& workload : Workloads(result)) {
    text += WorkloadTable(result, workload, reference);
  }
  return text + TransactionKinds(result) + Searches(result) + OpenLoop(result) + Warmups(result) +
         Client(result) + Errors(result) + Audits(result) + Invariants(result) + HowItEnded(result);
}

}  // namespace sysfleet
