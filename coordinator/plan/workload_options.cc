#include "coordinator/plan/workload_options.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <type_traits>

#include "coordinator/plan/names.h"

namespace sysfleet {
namespace {

// Statements of one kind in a transaction. sysbench sets no bound; this one catches a slip.
constexpr int kRepeatsMax = 100'000;
// Parameters of one statement, which both protocols count in 16 bits; a range has two.
constexpr int kPointsMax = 30'000;
constexpr int kRowsMax = 1'000'000;
constexpr int kIterationsMax = 1000;

constexpr Range kRepeats = {0, kRepeatsMax};

constexpr std::array kWorkloadOptions = {
    WorkloadOption{"point_selects", &WorkloadOptions::point_selects, kRepeats},
    WorkloadOption{"range_selects", &WorkloadOptions::range_selects},
    WorkloadOption{"range_size", &WorkloadOptions::range_size, {1, INT32_MAX}},
    WorkloadOption{"simple_ranges", &WorkloadOptions::simple_ranges, kRepeats},
    WorkloadOption{"sum_ranges", &WorkloadOptions::sum_ranges, kRepeats},
    WorkloadOption{"order_ranges", &WorkloadOptions::order_ranges, kRepeats},
    WorkloadOption{"distinct_ranges", &WorkloadOptions::distinct_ranges, kRepeats},
    WorkloadOption{"index_updates", &WorkloadOptions::index_updates, kRepeats},
    WorkloadOption{"non_index_updates", &WorkloadOptions::non_index_updates, kRepeats},
    WorkloadOption{"delete_inserts", &WorkloadOptions::delete_inserts, kRepeats},
    WorkloadOption{"num_rows_in_insert", &WorkloadOptions::num_rows_in_insert, {1, kRepeatsMax}},
    WorkloadOption{"batch_insert_count", &WorkloadOptions::batch_insert_count, {1, kRowsMax}},
    WorkloadOption{"smaller_row_sizes", &WorkloadOptions::smaller_row_sizes},
    WorkloadOption{"random_points", &WorkloadOptions::random_points, {1, kPointsMax}},
    WorkloadOption{"number_of_ranges", &WorkloadOptions::number_of_ranges, {1, kPointsMax}},
    WorkloadOption{"delta", &WorkloadOptions::delta, {0, INT32_MAX}},
    WorkloadOption{"skip_trx", &WorkloadOptions::skip_trx},
    WorkloadOption{"db_ps_mode", &WorkloadOptions::db_ps_mode},
};

constexpr DecimalRange kParetoH = {0.001, 0.999, "a number from 0.001 to 0.999"};
constexpr DecimalRange kZipfianExp = {0, 100, "a number from 0 to 100"};

constexpr std::array kRandomOptions = {
    RandomOption{"rand_type", &RandomOptions::type},
    RandomOption{"rand_pareto_h", &RandomOptions::pareto_h, {}, kParetoH},
    RandomOption{"rand_zipfian_exp", &RandomOptions::zipfian_exp, {}, kZipfianExp},
    RandomOption{"rand_spec_iter", &RandomOptions::spec_iter, {1, kIterationsMax}},
    RandomOption{"rand_spec_pct", &RandomOptions::spec_pct, {0, 100}},
    RandomOption{"rand_spec_res", &RandomOptions::spec_res, {0, 100}},
};

template <typename Options>
void ReadOne(Section& section, const PlanOption<Options>& option, Options& options) {
  const auto read = [&](auto member) {
    auto& value = options.*member;
    using Value = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, int>) {
      section.Read(option.name, value, option.range);
    } else if constexpr (std::is_same_v<Value, double>) {
      section.Read(option.name, value, option.decimal_range);
    } else if constexpr (std::is_same_v<Value, RandType>) {
      section.Read(option.name, value, RandTypeNames());
    } else if constexpr (std::is_same_v<Value, PsMode>) {
      section.Read(option.name, value, PsModeNames());
    } else {
      section.Read(option.name, value);
    }
  };
  std::visit(read, option.member);
}

template <typename Options>
std::string TextOf(const PlanOption<Options>& option, const Options& options) {
  const auto text = [&](auto member) {
    const auto value = options.*member;
    if constexpr (std::is_same_v<decltype(value), const bool>) {
      return std::string(value ? "on" : "off");
    } else if constexpr (std::is_enum_v<decltype(value)>) {
      return std::string(ToString(value));
    } else {
      return fmt::format("{}", value);
    }
  };
  return std::visit(text, option.member);
}

}  // namespace

std::span<const WorkloadOption> WorkloadOptionList() {
  return kWorkloadOptions;
}

std::span<const RandomOption> RandomOptionList() {
  return kRandomOptions;
}

void ReadOptions(Section& section, WorkloadOptions& options) {
  for (const WorkloadOption& option : WorkloadOptionList()) ReadOne(section, option, options);
  ReadOptions(section, options.random);
}

void ReadOptions(Section& section, RandomOptions& options) {
  for (const RandomOption& option : RandomOptionList()) ReadOne(section, option, options);
}

std::string OptionText(const WorkloadOption& option, const WorkloadOptions& options) {
  return TextOf(option, options);
}

std::string OptionText(const RandomOption& option, const RandomOptions& options) {
  return TextOf(option, options);
}

}  // namespace sysfleet
