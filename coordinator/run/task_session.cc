#include "coordinator/run/task_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/rpc/error.h"
#include "coordinator/run/orders.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{100};
// Agents end their connections within seconds; the answer may be behind a long statement.
constexpr std::chrono::seconds kCloseLimit{10};
constexpr std::chrono::seconds kOpenSlack{5};
constexpr uint64_t kScriptId = std::numeric_limits<uint64_t>::max();

// One more than there are connections keeps them busy while a result is on its way.
int CapacityOf(const AgentShare& share) {
  return share.connections + share.connections / 4 + 1;
}

}  // namespace

TaskSession::TaskSession(Fleet& fleet, const Plan& plan, std::vector<AgentShare> shares)
    : fleet_(fleet), plan_(plan) {
  for (AgentShare& share : shares) members_.push_back({.share = std::move(share)});
}

absl::StatusOr<std::optional<FleetEvent>> TaskSession::Next(Fleet::TimePoint until) {
  auto event = fleet_.Wait(until);
  while (event && event->kind == FleetEvent::Kind::kAttached) event = fleet_.Wait(until);
  if (!event) return std::nullopt;
  if (event->kind == FleetEvent::Kind::kInterrupt) return absl::CancelledError("interrupted");
  if (event->kind == FleetEvent::Kind::kLost) {
    return Annotate(event->status, fleet_.NameOf(event->agent));
  }
  return event;
}

absl::Status TaskSession::Open() {
  int missing = 0;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].share.connections == 0) continue;
    fleet_.Send(static_cast<int>(i), OpenTasksOrder(plan_, members_[i].share));
    ++missing;
  }
  const auto deadline = steady_clock::now() + plan_.run.thread_init_timeout + kOpenSlack;
  while (missing > 0) {
    auto next = Next(deadline);
    if (!next.ok()) return next.status();
    if (!*next) {
      return absl::DeadlineExceededError(
          fmt::format("{} agents did not connect to the database in time", missing));
    }
    const FleetEvent& event = **next;
    if (!event.message->has_tasks_opened()) continue;
    SYSFLEET_RETURN_IF_ERROR(
        Annotate(FromMessage(event.message->tasks_opened().error()), fleet_.NameOf(event.agent)));
    members_[static_cast<size_t>(event.agent)].open = true;
    --missing;
  }
  return absl::OkStatus();
}

absl::Status TaskSession::Run(Preparer& preparer, const std::function<void()>& tick) {
  while (!preparer.finished()) {
    Dispatch(preparer);
    auto next = Next(steady_clock::now() + kTick);
    if (!next.ok()) return next.status();
    if (*next && (*next)->message->has_task_done()) {
      const FleetEvent& event = **next;
      --members_[static_cast<size_t>(event.agent)].in_flight;
      preparer.OnTaskDone(event.message->task_done());
    }
    tick();
  }
  return preparer.status();
}

void TaskSession::Dispatch(Preparer& preparer) {
  for (Member* member = FreestMember(); member != nullptr; member = FreestMember()) {
    auto task = preparer.NextTask();
    if (!task) return;
    v1::CoordinatorMessage message;
    *message.mutable_task() = *std::move(task);
    fleet_.Send(IndexOf(*member), std::move(message));
    ++member->in_flight;
  }
}

// The one with the most room for its size; none where all have enough to do.
TaskSession::Member* TaskSession::FreestMember() {
  Member* freest = nullptr;
  double least = 1.0;
  for (Member& member : members_) {
    if (!member.open) continue;
    const double load = static_cast<double>(member.in_flight) / CapacityOf(member.share);
    if (load < least) {
      least = load;
      freest = &member;
    }
  }
  return freest;
}

int TaskSession::IndexOf(const Member& member) const {
  return static_cast<int>(&member - members_.data());
}

absl::Status TaskSession::RunScript(const std::vector<std::string>& sql) {
  const auto answer = Execute(sql);
  if (!answer.ok()) return answer.status();
  return FromMessage((*answer)->task_done().error());
}

absl::StatusOr<std::string> TaskSession::Ask(const std::string& sql) {
  const auto answer = Execute({sql});
  if (!answer.ok()) return answer.status();
  const v1::TaskDone& done = (*answer)->task_done();
  SYSFLEET_RETURN_IF_ERROR(FromMessage(done.error()));
  if (done.rows_size() == 0 || done.rows(0).fields_size() == 0) return std::string();
  return done.rows(0).fields(0).text();
}

absl::StatusOr<std::shared_ptr<const v1::AgentMessage>> TaskSession::Execute(
    const std::vector<std::string>& sql) {
  const auto member = std::find_if(members_.begin(), members_.end(),
                                   [](const Member& candidate) { return candidate.open; });
  v1::CoordinatorMessage message;
  message.mutable_task()->set_id(kScriptId);
  for (const std::string& statement : sql) {
    message.mutable_task()->mutable_script()->add_sql(statement);
  }
  fleet_.Send(IndexOf(*member), std::move(message));
  while (true) {
    auto next = Next(Fleet::TimePoint::max());
    if (!next.ok()) return next.status();
    if (*next && (*next)->message->has_task_done()) return (*next)->message;
  }
}

absl::Status TaskSession::Close() {
  int missing = 0;
  for (Member& member : members_) {
    if (member.share.connections == 0) continue;
    v1::CoordinatorMessage message;
    message.mutable_close_tasks();
    fleet_.Send(IndexOf(member), std::move(message));
    ++missing;
  }
  const auto deadline = steady_clock::now() + kCloseLimit;
  while (missing > 0) {
    auto next = Next(deadline);
    if (!next.ok()) return next.status();
    if (!*next)
      return absl::DeadlineExceededError("an agent did not close its connections in time");
    if ((*next)->message->has_tasks_closed()) --missing;
  }
  return absl::OkStatus();
}

}  // namespace sysfleet
