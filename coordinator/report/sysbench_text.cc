#include "coordinator/report/sysbench_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sysfleet {
namespace {

// sysbench's histogram: so many buckets between these values, of equal width in the logarithm.
constexpr int kBuckets = 1024;
constexpr double kLowestMs = 0.001;
constexpr double kHighestMs = 100'000;
constexpr int kStarsMax = 40;

double Millis(double nanos) {
  return nanos / 1e6;
}

double Per(uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

double LogStep() {
  return std::log(kHighestMs / kLowestMs) / (kBuckets - 1);
}

int BucketOf(double milliseconds) {
  const double place = std::log(std::max(milliseconds, kLowestMs) / kLowestMs) / LogStep();
  return std::min(static_cast<int>(std::floor(place + 0.5)), kBuckets - 1);
}

std::string HistogramText(const Histogram& latency) {
  std::map<int, uint64_t> counts;
  for (size_t i = latency.first_used(); i < latency.used_end(); ++i) {
    const uint64_t count = latency.buckets()[i];
    if (count > 0) counts[BucketOf(Millis(static_cast<double>(Histogram::MiddleOf(i))))] += count;
  }
  if (latency.overflow() > 0) counts[kBuckets - 1] += latency.overflow();
  uint64_t most = 1;
  for (const auto& [bucket, count] : counts) most = std::max(most, count);
  std::string text =
      "Latency histogram (values are in milliseconds)\n"
      "       value  ------------- distribution ------------- count\n";
  for (const auto& [bucket, count] : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(most);
    const auto stars = static_cast<size_t>(std::floor(share * kStarsMax + 0.5));
    text += fmt::format("{:12.3f} |{:<{}} {}\n", kLowestMs * std::exp(bucket * LogStep()),
                        std::string(stars, '*'), kStarsMax, count);
  }
  return text + " \n";
}

std::string Rated(const char* label, uint64_t count, double seconds) {
  return fmt::format("    {:<37}{:<6} ({:.2f} per sec.)\n", label, count, Per(count, seconds));
}

std::string StatisticsText(const SysbenchReport& report) {
  const SysbenchFigures& figures = report.figures;
  return fmt::format(
             "SQL statistics:\n"
             "    queries performed:\n"
             "        {:<33}{}\n        {:<33}{}\n        {:<33}{}\n        {:<33}{}\n",
             "read:", figures.reads, "write:", figures.writes, "other:", figures.others,
             "total:", figures.queries()) +
         Rated("transactions:", figures.transactions, report.seconds) +
         Rated("queries:", figures.queries(), report.seconds) +
         Rated("ignored errors:", figures.errors, report.seconds) +
         Rated("reconnects:", figures.reconnects, report.seconds) +
         (report.unfinished == 0
              ? ""
              : fmt::format("\nNumber of unfinished transactions on forced shutdown: {}\n",
                            report.unfinished)) +
         fmt::format("\nGeneral statistics:\n    {:<37}{:.4f}s\n    {:<37}{}\n\n",
                     "total time:", report.total_seconds,
                     "total number of events:", figures.transactions);
}

std::string LatencyLine(const std::string& label, double milliseconds) {
  return fmt::format("         {:<25}{:19.2f}\n", label, milliseconds);
}

// "95", "99.9".
std::string PercentText(double percent) {
  return fmt::format("{:.6g}", percent);
}

std::string LatencyText(const SysbenchReport& report) {
  const Histogram& latency = report.figures.latency;
  std::string text = "Latency (ms):\n";
  text += LatencyLine("min:", Millis(static_cast<double>(latency.min_ns())));
  text += LatencyLine("avg:", Millis(latency.MeanNs()));
  text += LatencyLine("max:", Millis(static_cast<double>(latency.max_ns())));
  for (const double percent : report.percentiles) {
    // "th" behind every number, as there.
    text += fmt::format("        {:>3}th percentile: {:27.2f}\n", PercentText(percent),
                        Millis(static_cast<double>(latency.PercentileNs(percent))));
  }
  if (report.percentiles.empty()) {
    text += fmt::format("         {:<32}disabled\n", "percentile stats:");
  }
  return text + LatencyLine("sum:", Millis(static_cast<double>(latency.sum_ns()))) + "\n";
}

std::string FairnessText(const SysbenchReport& report) {
  const double threads = report.threads;
  return fmt::format(
      "Threads fairness:\n    {:<31}{:.4f}/{:.2f}\n    {:<31}{:.4f}/{:.2f}\n\n",
      "events (avg/stddev):", static_cast<double>(report.figures.transactions) / threads,
      report.spread.events_stddev, "execution time (avg/stddev):",
      static_cast<double>(report.figures.latency.sum_ns()) / 1e9 / threads,
      report.spread.busy_s_stddev);
}

}  // namespace

std::string SysbenchHead(const SysbenchHeading& heading) {
  std::string text = fmt::format(
      "Running the test with following options:\nNumber of threads: {}\n", heading.threads);
  if (heading.warmup_seconds > 0) text += fmt::format("Warmup time: {}s\n", heading.warmup_seconds);
  if (heading.rate > 0) text += fmt::format("Target transaction rate: {}/sec\n", heading.rate);
  if (heading.report_interval_seconds > 0) {
    text += fmt::format("Report intermediate results every {} second(s)\n",
                        heading.report_interval_seconds);
  }
  if (!heading.checkpoint_seconds.empty()) {
    text += fmt::format("Report checkpoint(s) at {} seconds\n",
                        fmt::join(heading.checkpoint_seconds, ", "));
  }
  if (heading.debug) text += "Debug mode enabled.\n\n";
  if (heading.validate) text += "Validation checks: on.\n\n";
  text += heading.seed ? fmt::format("Initializing random number generator from seed ({}).\n\n\n",
                                     *heading.seed)
                       : "Initializing random number generator from current time\n\n\n";
  if (heading.forced_shutdown_seconds > 0) {
    text.pop_back();
    text += fmt::format("Forcing shutdown in {} seconds\n\n", heading.forced_shutdown_seconds);
  }
  return text + "Initializing worker threads...\n\n";
}

void SysbenchFigures::Add(const WindowResult& window, const Histogram& window_latency) {
  transactions += window.transactions;
  reads += window.reads;
  writes += window.writes;
  others += window.others;
  errors += window.errors;
  reconnects += window.reconnects;
  latency.Add(window_latency);
  queue = window.queue;
}

std::string SysbenchInterval(const SysbenchFigures& figures, int64_t seconds, int64_t end,
                             int threads, const std::vector<double>& percentiles) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const double percent : percentiles) {
    names.push_back(PercentText(percent) + "%");
    values.push_back(
        fmt::format("{:.2f}", Millis(static_cast<double>(figures.latency.PercentileNs(percent)))));
  }
  if (percentiles.empty()) {
    names = {"0%"};
    values = {"0.00"};
  }
  const auto length = static_cast<double>(seconds);
  const std::string queue = figures.queue
                                ? fmt::format("[ {}s ] queue length: {}, concurrency: {}\n", end,
                                              figures.queue->queued, figures.queue->active)
                                : "";
  return fmt::format(
             "[ {}s ] thds: {} tps: {:.2f} qps: {:.2f} (r/w/o: {:.2f}/{:.2f}/{:.2f}) lat (ms,{}): "
             "{} "
             "err/s: {:.2f} reconn/s: {:.2f}\n",
             end, threads, Per(figures.transactions, length), Per(figures.queries(), length),
             Per(figures.reads, length), Per(figures.writes, length), Per(figures.others, length),
             fmt::join(names, "/"), fmt::join(values, "/"), Per(figures.errors, length),
             Per(figures.reconnects, length)) +
         queue;
}

std::string ToSysbenchText(const SysbenchReport& report) {
  return (report.histogram ? HistogramText(report.figures.latency) : "") + StatisticsText(report) +
         LatencyText(report) + FairnessText(report);
}

}  // namespace sysfleet
