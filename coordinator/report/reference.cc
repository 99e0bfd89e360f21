#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "coordinator/report/report.h"

namespace sysfleet {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// One column under either of its names; which of them it was tells the form of the file.
struct Column {
  std::string_view name;
  std::optional<size_t> place;
};

struct Columns {
  Column workload{"workload", {}};
  Column threads{"threads", {}};
  Column tps{"tps", {}};
  Column qps{"qps", {}};
  Column p95_ms{"p95_ms", {}};
};

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> Split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const size_t comma = line.find(',');
    fields.push_back(Trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

Column Find(const std::vector<std::string_view>& heads, std::string_view name) {
  const auto head = std::find(heads.begin(), heads.end(), name);
  if (head == heads.end()) return {name, {}};
  return {name, static_cast<size_t>(head - heads.begin())};
}

absl::StatusOr<Columns> ReadHead(const std::vector<std::string_view>& heads) {
  Columns columns{.workload = Find(heads, "workload"),
                  .threads = Find(heads, "threads"),
                  .tps = Find(heads, "tps"),
                  .qps = Find(heads, "qps"),
                  .p95_ms = Find(heads, "p95_ms")};
  const bool is_per_second_form = !columns.tps.place && Find(heads, "txn_per_s").place;
  if (is_per_second_form) {
    columns.tps = Find(heads, "txn_per_s");
    columns.qps = Find(heads, "queries_per_s");
  }
  if (!columns.workload.place || !columns.tps.place ||
      (!columns.threads.place && !is_per_second_form)) {
    return absl::InvalidArgumentError(
        "expected a head with workload, threads and tps, or with workload and txn_per_s");
  }
  return columns;
}

template <typename Number>
absl::StatusOr<Number> ReadNumber(const std::vector<std::string_view>& fields, const Column& column,
                                  std::string_view expected) {
  if (!column.place) return Number{};
  const std::string_view text = fields[*column.place];
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole_text = error == std::errc() && end == text.data() + text.size();
  if (!is_whole_text || number < 0 || !std::isfinite(static_cast<double>(number))) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected {}, got '{}'", column.name, expected, text));
  }
  return number;
}

absl::StatusOr<ReferenceRow> ReadRow(const std::vector<std::string_view>& fields,
                                     const Columns& columns) {
  ReferenceRow row;
  row.workload = fields[*columns.workload.place];
  if (row.workload.empty()) return absl::InvalidArgumentError("workload: expected a name");
  const auto threads = ReadNumber<int>(fields, columns.threads, "a whole number");
  if (!threads.ok()) return threads.status();
  row.threads = *threads;
  if (columns.threads.place && row.threads == 0) {
    return absl::InvalidArgumentError("threads: expected a whole number from 1, got 0");
  }
  for (const auto& [column, value] : {std::pair{&columns.tps, &row.tps},
                                      {&columns.qps, &row.qps},
                                      {&columns.p95_ms, &row.p95_ms}}) {
    const auto number = ReadNumber<double>(fields, *column, "a number");
    if (!number.ok()) return number.status();
    *value = *number;
  }
  return row;
}

absl::StatusOr<ReferenceRow> ReadLine(std::string_view line, size_t heads, const Columns& columns,
                                      const std::vector<ReferenceRow>& before) {
  const std::vector<std::string_view> fields = Split(line);
  if (fields.size() != heads) {
    return absl::InvalidArgumentError(
        fmt::format("expected {} fields as in the head, got {}", heads, fields.size()));
  }
  absl::StatusOr<ReferenceRow> row = ReadRow(fields, columns);
  if (!row.ok()) return row;
  for (const ReferenceRow& other : before) {
    if (other.workload != row->workload || other.threads != row->threads) continue;
    return absl::InvalidArgumentError(
        row->threads == 0
            ? fmt::format("a second row for {}", row->workload)
            : fmt::format("a second row for {} with {} threads", row->workload, row->threads));
  }
  return row;
}

}  // namespace

absl::StatusOr<std::vector<ReferenceRow>> ReadReference(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return absl::NotFoundError(fmt::format("{}: {}", path, std::generic_category().message(errno)));
  }
  std::vector<ReferenceRow> rows;
  std::optional<Columns> columns;
  size_t heads = 0;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    std::string_view line = text;
    if (number == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (Trim(line).empty()) continue;
    const std::string place = fmt::format("{}:{}", path, number);
    if (!columns) {
      const std::vector<std::string_view> fields = Split(line);
      const absl::StatusOr<Columns> head = ReadHead(fields);
      if (!head.ok()) return Annotate(head.status(), place);
      columns = *head;
      heads = fields.size();
      continue;
    }
    absl::StatusOr<ReferenceRow> row = ReadLine(line, heads, *columns, rows);
    if (!row.ok()) return Annotate(row.status(), place);
    rows.push_back(*std::move(row));
  }
  if (file.bad()) return absl::UnavailableError(fmt::format("{}: it cannot be read", path));
  if (rows.empty()) return absl::InvalidArgumentError(fmt::format("{}:1: it has no rows", path));
  return rows;
}

}  // namespace sysfleet
