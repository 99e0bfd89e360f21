#include "coordinator/run/cell_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/rpc/error.h"
#include "coordinator/result/fairness_sums.h"
#include "coordinator/result/merge.h"
#include "coordinator/run/cell_machine.h"
#include "coordinator/run/orders.h"
#include "coordinator/run/steady.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kArmSlack{5};
// An agent lets transactions end for 5 s, then cuts them off.
constexpr std::chrono::seconds kEndSlack{15};
constexpr std::chrono::seconds kStopLimit{4};
// Windows between the one that runs and the first that is measured.
constexpr int kWarmupNotice = 2;
constexpr std::chrono::seconds kSynchronizeLimit{5};
// The order to start must arrive before the start, also over a slow network and in a large fleet.
constexpr int64_t kStartMarginNs = 100'000'000;
constexpr int64_t kStartMarginPerAgentNs = 500'000;
constexpr int kStartMarginRoundTrips = 4;

double Millis(int64_t nanos) {
  return static_cast<double>(nanos) / 1e6;
}

CellShape ShapeOf(const Fleet& fleet, const Plan& plan, const v1::Workload& workload,
                  const Cell& cell) {
  CellShape shape;
  shape.number = cell.number;
  shape.workload = plan.run.workloads[static_cast<size_t>(cell.workload)].label;
  shape.threads = cell.threads;
  shape.rate_per_s = cell.rate_per_s;
  shape.repetition = cell.repetition;
  shape.warmup_windows = static_cast<int>(plan.run.warmup_time.count());
  shape.measured_windows = static_cast<int>(cell.time.count());
  for (const auto& transaction : workload.transactions()) {
    shape.transaction_names.push_back(transaction.name());
  }
  for (const auto& statement : workload.statements()) {
    shape.statement_names.push_back(statement.name());
  }
  shape.percentiles = plan.report.percentiles;
  shape.tables = plan.dataset.tables;
  for (const FleetAgent& agent : fleet.agents()) shape.agents.push_back(ToString(agent.endpoint));
  for (const AgentShare& share : cell.shares) shape.connections.push_back(share.connections);
  return shape;
}

class CellRun {
 public:
  CellRun(Fleet& fleet, const Plan& plan, const v1::Workload& workload, const Cell& cell,
          RunObserver& observer)
      : fleet_(fleet),
        plan_(plan),
        workload_(workload),
        cell_(cell),
        observer_(observer),
        machine_(fleet.size()),
        merger_(ShapeOf(fleet, plan, workload, cell)),
        first_ns_(static_cast<size_t>(fleet.size()), 0) {
    warmup_.seconds = warmup_.seconds_max = static_cast<int>(plan.run.warmup_time.count());
  }

  CellResult Run() {
    // Not from the plan's seed: what an earlier run inserted is still there.
    std::random_device random;
    const uint64_t unique_base = (uint64_t{random()} << 32) | random();
    for (int i = 0; i < fleet_.size(); ++i) {
      fleet_.Send(
          i, ArmOrder(plan_, workload_, cell_, cell_.shares[static_cast<size_t>(i)], unique_base));
    }
    deadline_ = steady_clock::now() + plan_.run.thread_init_timeout + kArmSlack;
    while (machine_.phase() != CellPhase::kEnded) {
      const auto event = fleet_.Wait(deadline_);
      Act(event ? OnEvent(*event) : machine_.OnDeadline());
    }
    return Result();
  }

 private:
  CellAction OnEvent(const FleetEvent& event) {
    switch (event.kind) {
      case FleetEvent::Kind::kInterrupt:
        return machine_.OnInterrupt();
      case FleetEvent::Kind::kLost:
        return machine_.OnLost(event.agent, Annotate(event.status, fleet_.NameOf(event.agent)));
      case FleetEvent::Kind::kMessage:
        return OnMessage(event.agent, *event.message);
      case FleetEvent::Kind::kAttached:
        return CellAction::kNone;
    }
    return CellAction::kNone;
  }

  CellAction OnMessage(int agent, const v1::AgentMessage& message) {
    switch (message.body_case()) {
      case v1::AgentMessage::kArmed:
        return machine_.OnArmed(
            agent, Annotate(FromMessage(message.armed().error()), fleet_.NameOf(agent)));
      case v1::AgentMessage::kStarted:
        first_ns_[static_cast<size_t>(agent)] =
            message.started().first_ns() -
            fleet_.agents()[static_cast<size_t>(agent)].clock_offset_ns - start_ns_;
        return CellAction::kNone;
      case v1::AgentMessage::kSnapshot:
        return OnSnapshot(agent, message.snapshot());
      case v1::AgentMessage::kDone:
        elapsed_ns_ = std::max(elapsed_ns_, static_cast<int64_t>(message.done().elapsed_ns()));
        unfinished_ += message.done().unfinished();
        not_begun_ += message.done().not_begun();
        warmup_left_out_ += message.done().warmup_left_out();
        fairness_.Add(message.done().fairness());
        merger_.End(agent);
        TellMergedWindows();
        if (message.done().snapshots() != merger_.acknowledged(agent)) {
          Act(machine_.OnError(absl::DataLossError(
              fmt::format("{}: {} snapshots came, it sent {}", fleet_.NameOf(agent),
                          merger_.acknowledged(agent), message.done().snapshots()))));
        }
        return machine_.OnDone(agent,
                               Annotate(FromMessage(message.done().error()), fleet_.NameOf(agent)));
      default:
        return CellAction::kNone;
    }
  }

  CellAction OnSnapshot(int agent, const v1::Snapshot& snapshot) {
    const absl::Status added = merger_.Add(agent, snapshot);
    TellMergedWindows();
    return added.ok() ? CellAction::kNone : machine_.OnError(Annotate(added, fleet_.NameOf(agent)));
  }

  void TellMergedWindows() {
    for (MergedWindow& merged : merger_.TakeMergedWindows()) {
      WindowResult& window = merged.window;
      const int64_t end_ns = start_ns_ + (window.second + 1) * kNanosPerSecond;
      window.merged_after_ms = Millis(SteadyNanos() - end_ns);
      merged_after_ms_.push_back(*window.merged_after_ms);
      observer_.OnWindow(cell_, window, merged.latency);
      NoteWarmup(window);
    }
  }

  // The last agent has to hear of it before the window begins that is to be measured.
  void NoteWarmup(const WindowResult& window) {
    if (!plan_.run.warmup_min || warmup_.steady || window.measured) return;
    warmup_transactions_.push_back(static_cast<double>(window.transactions));
    const int end = merger_.next_window() + kWarmupNotice;
    if (window.second + 1 < plan_.run.warmup_min->count() || end >= warmup_.seconds) return;
    if (!IsSteady(warmup_transactions_)) return;
    warmup_.steady = true;
    warmup_.seconds = end;
    merger_.EndWarmup(end);
    v1::CoordinatorMessage message;
    message.mutable_end_warmup()->set_cell(static_cast<uint32_t>(cell_.number));
    message.mutable_end_warmup()->set_warmup_windows(static_cast<uint32_t>(end));
    fleet_.SendAll(message);
  }

  void Act(CellAction action) {
    switch (action) {
      case CellAction::kNone:
        break;
      case CellAction::kStart:
        Start();
        break;
      case CellAction::kStop:
        Stop();
        break;
    }
  }

  // One instant for all, told to each agent in its own clock.
  void Start() {
    const absl::Status synchronized = fleet_.SynchronizeClocks(kSynchronizeLimit);
    if (!synchronized.ok()) {
      return Act(absl::IsCancelled(synchronized) ? machine_.OnInterrupt()
                                                 : machine_.OnError(synchronized));
    }
    int64_t round_trip_ns = 0;
    for (const FleetAgent& agent : fleet_.agents()) {
      round_trip_ns = std::max(round_trip_ns, agent.round_trip_ns);
    }
    start_ns_ = SteadyNanos() + std::max(kStartMarginNs, kStartMarginRoundTrips * round_trip_ns) +
                fleet_.size() * kStartMarginPerAgentNs;
    for (int i = 0; i < fleet_.size(); ++i) {
      v1::CoordinatorMessage message;
      message.mutable_start()->set_cell(static_cast<uint32_t>(cell_.number));
      message.mutable_start()->set_start_ns(
          start_ns_ + fleet_.agents()[static_cast<size_t>(i)].clock_offset_ns);
      fleet_.Send(i, std::move(message));
    }
    deadline_ = cell_.time.count() == 0
                    ? Fleet::TimePoint::max()
                    : steady_clock::now() + plan_.run.warmup_time + cell_.time +
                          plan_.run.forced_shutdown + plan_.fleet.lease + kEndSlack;
  }

  void Stop() {
    v1::CoordinatorMessage message;
    message.mutable_stop()->set_cell(static_cast<uint32_t>(cell_.number));
    fleet_.SendAll(message);
    deadline_ = steady_clock::now() + kStopLimit;
  }

  CellResult Result() {
    CellResult result = merger_.Finish(elapsed_ns_);
    result.unfinished = unfinished_;
    if (plan_.run.warmup_min) result.warmup = warmup_;
    result.fairness = fairness_.Over(cell_.threads);
    if (result.open_loop) {
      result.open_loop->not_begun = not_begun_;
      result.open_loop->warmup_left_out = warmup_left_out_;
    }
    // Gaps stand behind the merged ones.
    for (size_t i = 0; i < merged_after_ms_.size(); ++i) {
      result.windows[i].merged_after_ms = merged_after_ms_[i];
    }
    if (start_ns_ != 0) {
      const auto [first, last] = std::minmax_element(first_ns_.begin(), first_ns_.end());
      result.start_spread_ms = Millis(*last - *first);
      for (size_t i = 0; i < first_ns_.size(); ++i) {
        result.agents[i].start_offset_ms = Millis(first_ns_[i]);
      }
    }
    const absl::Status& status = machine_.status();
    result.status = status.ok()                 ? CellStatus::kComplete
                    : absl::IsCancelled(status) ? CellStatus::kInterrupted
                                                : CellStatus::kFailed;
    if (result.status == CellStatus::kFailed) result.problem = Message(status);
    std::vector<std::string> unfinished;
    for (const int agent : machine_.unfinished()) unfinished.push_back(fleet_.NameOf(agent));
    if (!unfinished.empty()) {
      result.problem += fmt::format("{}{} did not end the cell", result.problem.empty() ? "" : "; ",
                                    Joined(unfinished));
    }
    return result;
  }

  Fleet& fleet_;
  const Plan& plan_;
  const v1::Workload& workload_;
  const Cell& cell_;
  RunObserver& observer_;
  CellMachine machine_;
  CellMerger merger_;
  Fleet::TimePoint deadline_;
  int64_t start_ns_ = 0;
  std::vector<int64_t> first_ns_;        // by agent: its first statement after the start
  std::vector<double> merged_after_ms_;  // by window
  int64_t elapsed_ns_ = 0;
  uint64_t unfinished_ = 0;
  WarmupResult warmup_;
  std::vector<double> warmup_transactions_;  // by window
  uint64_t not_begun_ = 0;
  uint64_t warmup_left_out_ = 0;
  FairnessSums fairness_;
};

}  // namespace

CellResult RunCell(Fleet& fleet, const Plan& plan, const v1::Workload& workload, const Cell& cell,
                   RunObserver& observer) {
  return CellRun(fleet, plan, workload, cell, observer).Run();
}

}  // namespace sysfleet
