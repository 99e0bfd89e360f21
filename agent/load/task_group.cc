#include "agent/load/task_group.h"

#include <algorithm>
#include <utility>

#include "agent/load/task_pool.h"
#include "sysfleet/v1/agent.pb.h"

namespace sysfleet {

TaskGroup::TaskGroup(ReactorPool& reactors, TaskGroupOptions options, Executor post,
                     OpenedCallback on_opened, DoneCallback on_done)
    : post_(std::move(post)), on_opened_(std::move(on_opened)), on_done_(std::move(on_done)) {
  const size_t pools = std::min(reactors.size(), options.connections.size());
  for (size_t i = 0; i < pools; ++i) {
    std::vector<ConnectionOptions> connections;
    for (size_t c = i; c < options.connections.size(); c += pools) {
      connections.push_back(options.connections[c]);
    }
    Member member{.reactor = &reactors.at(i), .connections = static_cast<int>(connections.size())};
    member.pool = std::make_shared<TaskPool>(
        *member.reactor, options.family, std::move(connections), options.connect_timeout,
        [this](const absl::Status& status) { post_([this, status] { OnOpened(status); }); },
        [this, i](const v1::TaskDone& done) { post_([this, i, done] { OnDone(i, done); }); });
    members_.push_back(std::move(member));
  }
}

TaskGroup::~TaskGroup() = default;

void TaskGroup::Open() {
  for (Member& member : members_) {
    member.reactor->Post([pool = member.pool] { pool->Open(); });
  }
}

void TaskGroup::OnOpened(const absl::Status& status) {
  if (open_status_.ok()) open_status_ = status;
  if (++opened_ == members_.size()) on_opened_(open_status_);
}

// To the reactor that has the least to do for its connections.
void TaskGroup::Submit(const v1::Task& task) {
  Member& freest =
      *std::min_element(members_.begin(), members_.end(), [](const Member& a, const Member& b) {
        return a.in_flight * b.connections < b.in_flight * a.connections;
      });
  ++freest.in_flight;
  freest.reactor->Post([pool = freest.pool, task] { pool->Submit(task); });
}

void TaskGroup::OnDone(size_t member, const v1::TaskDone& done) {
  --members_[member].in_flight;
  on_done_(done);
}

void TaskGroup::Close(std::function<void()> closed) {
  closed_ = std::move(closed);
  for (Member& member : members_) {
    // The pool belongs to the reactor's thread to its end: it is destroyed there.
    member.reactor->Post([this, reactor = member.reactor, pool = std::move(member.pool)]() mutable {
      TaskPool& closing = *pool;
      closing.Close([this, reactor, pool = std::move(pool)]() mutable {
        reactor->Post([pool = std::move(pool)]() mutable { pool.reset(); });
        post_([this] { OnClosed(); });
      });
    });
  }
}

void TaskGroup::OnClosed() {
  if (++closed_count_ == members_.size()) closed_();
}

}  // namespace sysfleet
