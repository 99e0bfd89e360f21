#include "coordinator/result/load_sums.h"

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/histogram/codec.h"
#include "sysfleet/v1/measurement.pb.h"

namespace sysfleet {
namespace {

std::optional<double> Share(uint64_t part, uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

absl::Status LoadSums::Add(const v1::Health& health) {
  SYSFLEET_RETURN_IF_ERROR(AddProto(health.batches(), batches_));
  busy_ns_ += health.busy_ns();
  loop_ns_ += health.loop_ns();
  busiest_busy_ns_ += health.busiest_busy_ns();
  busiest_loop_ns_ += health.busiest_loop_ns();
  cpu_ns_ += health.cpu_ns();
  if (health.has_stolen_ns()) {
    stolen_ns_ += health.stolen_ns();
    cores_ns_ += health.cores_ns();
  }
  return absl::OkStatus();
}

void LoadSums::Add(const LoadSums& other) {
  busy_ns_ += other.busy_ns_;
  loop_ns_ += other.loop_ns_;
  busiest_busy_ns_ += other.busiest_busy_ns_;
  busiest_loop_ns_ += other.busiest_loop_ns_;
  cpu_ns_ += other.cpu_ns_;
  stolen_ns_ += other.stolen_ns_;
  cores_ns_ += other.cores_ns_;
  batches_.Add(other.batches_);
}

std::optional<double> LoadSums::BusiestShare() const {
  return Share(busiest_busy_ns_, busiest_loop_ns_);
}

ClientLoad LoadSums::Over(double measured_seconds) const {
  ClientLoad load{.busy_share = Share(busy_ns_, loop_ns_),
                  .busiest_reactor_share = BusiestShare(),
                  .stolen_share = Share(stolen_ns_, cores_ns_)};
  if (batches_.count() > 0) {
    load.batch_p99_ns = batches_.PercentileNs(99);
    load.batch_max_ns = batches_.max_ns();
  }
  // A process that runs uses CPU: nothing is what was not told.
  if (cpu_ns_ > 0 && measured_seconds > 0) {
    load.cpu_cores =
        static_cast<double>(cpu_ns_) / static_cast<double>(kNanosPerSecond) / measured_seconds;
  }
  return load;
}

}  // namespace sysfleet
