#include "coordinator/plan/workload_options.h"

#include <array>
#include <cstdint>

namespace sysfleet {
namespace {

// Statements of one kind in a transaction. sysbench sets no bound; this one catches a slip.
constexpr int kRepeatsMax = 100'000;

constexpr WorkloadOption Repeats(std::string_view name, int WorkloadOptions::*number) {
  return {name, number, nullptr, 0, kRepeatsMax};
}

constexpr std::array kOptions = {
    Repeats("point_selects", &WorkloadOptions::point_selects),
    WorkloadOption{"range_selects", nullptr, &WorkloadOptions::range_selects},
    WorkloadOption{"range_size", &WorkloadOptions::range_size, nullptr, 1, INT32_MAX},
    Repeats("simple_ranges", &WorkloadOptions::simple_ranges),
    Repeats("sum_ranges", &WorkloadOptions::sum_ranges),
    Repeats("order_ranges", &WorkloadOptions::order_ranges),
    Repeats("distinct_ranges", &WorkloadOptions::distinct_ranges),
    Repeats("index_updates", &WorkloadOptions::index_updates),
    Repeats("non_index_updates", &WorkloadOptions::non_index_updates),
    Repeats("delete_inserts", &WorkloadOptions::delete_inserts),
    WorkloadOption{"num_rows_in_insert", &WorkloadOptions::num_rows_in_insert, nullptr, 1,
                   kRepeatsMax},
    WorkloadOption{"skip_trx", nullptr, &WorkloadOptions::skip_trx},
};

}  // namespace

std::span<const WorkloadOption> WorkloadOptionList() {
  return kOptions;
}

}  // namespace sysfleet
