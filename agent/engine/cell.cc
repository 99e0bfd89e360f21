#include "agent/engine/cell.h"

#include <algorithm>
#include <utility>

namespace sysfleet {

namespace {

// How long transactions may go on once one has met an error that ends the cell.
constexpr std::chrono::milliseconds kFailedGrace{500};

std::vector<int64_t> ConnectionsOfShard(const CellOrder& order, size_t shard, size_t shards) {
  std::vector<int64_t> connections;
  for (auto i = static_cast<int64_t>(shard); i < order.connections;
       i += static_cast<int64_t>(shards)) {
    connections.push_back(order.first_connection + i);
  }
  return connections;
}

}  // namespace

// A shard and its way back to the cell: reports cross from the reactor's thread to the owner's.
class Cell::Port final : public ShardEvents, public std::enable_shared_from_this<Port> {
 public:
  Port(Cell& cell, size_t index, size_t shards)
      : cell_(cell),
        index_(index),
        reactor_(cell.reactors_.at(index)),
        shard_(reactor_, cell.order_, ConnectionsOfShard(cell.order_, index, shards), cell.windows_,
               *this) {}

  void Call(std::function<void(Shard&)> call) {
    // A call may still be on its way when the cell has ended; a shard that has finished ignores it.
    reactor_.Post([port = shared_from_this(), call = std::move(call)] { call(port->shard_); });
  }

  void OnShardArmed(const absl::Status& status) override {
    cell_.post_([this, status] { cell_.OnArmed(status); });
  }
  void OnShardStarted(int64_t began_ns) override {
    cell_.post_([this, began_ns] { cell_.OnStarted(began_ns); });
  }
  void OnShardWindow(std::unique_ptr<Window> window) override {
    // A std::function must be copyable, a unique_ptr is not.
    auto shared = std::make_shared<std::unique_ptr<Window>>(std::move(window));
    cell_.post_([this, shared] { cell_.OnWindow(index_, std::move(*shared)); });
  }
  void OnShardFailed(const absl::Status& status) override {
    cell_.post_([this, status] { cell_.OnFailed(status); });
  }
  void OnShardDone(const ShardEnd& end) override {
    cell_.post_([this, end] {
      cell_.shard_done_[index_] = true;
      cell_.OnDone(end);
    });
  }

 private:
  Cell& cell_;
  const size_t index_;
  Reactor& reactor_;
  Shard shard_;
};

Cell::Cell(ReactorPool& reactors, CellOrder order, Executor post, CellEvents& events)
    : reactors_(reactors),
      order_(std::move(order)),
      post_(std::move(post)),
      events_(events),
      windows_(order_.window_shape()) {
  const size_t shards = std::min(reactors.size(), static_cast<size_t>(order_.connections));
  delivered_.assign(shards, 0);
  shard_done_.assign(shards, false);
  for (size_t i = 0; i < shards; ++i) ports_.push_back(std::make_shared<Port>(*this, i, shards));
}

Cell::~Cell() = default;

void Cell::Arm() {
  for (auto& port : ports_) port->Call([](Shard& shard) { shard.Arm(); });
}

void Cell::Start(int64_t start_ns) {
  for (auto& port : ports_) port->Call([start_ns](Shard& shard) { shard.Start(start_ns); });
}

void Cell::EndWarmup(uint32_t windows) {
  for (auto& port : ports_) port->Call([windows](Shard& shard) { shard.EndWarmup(windows); });
}

void Cell::Stop(std::chrono::milliseconds grace) {
  for (auto& port : ports_) port->Call([grace](Shard& shard) { shard.Stop(grace); });
}

void Cell::OnArmed(const absl::Status& status) {
  ++armed_;
  if (armed_reported_) return;
  if (!status.ok()) {
    armed_reported_ = true;
    if (end_.status.ok()) end_.status = status;
    events_.OnCellArmed(status);
    Stop(std::chrono::milliseconds(0));
  } else if (armed_ == ports_.size()) {
    armed_reported_ = true;
    events_.OnCellArmed(absl::OkStatus());
  }
}

void Cell::OnStarted(int64_t began_ns) {
  // The last reactor counts: only then is the agent's whole load there.
  began_ns_ = std::max(began_ns_, began_ns);
  if (++started_ == ports_.size()) events_.OnCellStarted(began_ns_);
}

void Cell::OnWindow(size_t shard, std::unique_ptr<Window> window) {
  const uint32_t number = window->number;
  delivered_[shard] = number + 1;
  auto& joined = pending_[number];
  if (joined == nullptr) {
    joined = std::move(window);
  } else {
    joined->Add(*window);
    windows_.Return(std::move(window));
  }
  EmitWholeWindows();
}

// A window is whole when every shard has delivered it or has come to its end before.
void Cell::EmitWholeWindows() {
  while (!pending_.empty()) {
    const uint32_t number = pending_.begin()->first;
    for (size_t i = 0; i < delivered_.size(); ++i) {
      if (delivered_[i] <= number && !shard_done_[i]) return;
    }
    auto window = std::move(pending_.extract(pending_.begin()).mapped());
    events_.OnCellWindow(*window);
    windows_.Return(std::move(window));
  }
}

void Cell::OnFailed(const absl::Status& status) {
  if (!end_.status.ok()) return;
  end_.status = status;
  Stop(kFailedGrace);
}

void Cell::OnDone(const ShardEnd& end) {
  end_.elapsed_ns = std::max(end_.elapsed_ns, end.elapsed_ns);
  end_.unfinished += end.unfinished;
  end_.not_begun += end.not_begun;
  end_.fairness.Add(end.fairness);
  end_.warmup_left_out += end.warmup_left_out;
  EmitWholeWindows();
  if (++done_ == ports_.size()) events_.OnCellDone(end_);
}

}  // namespace sysfleet
