#include "coordinator/prepare/row_ranges.h"

#include <algorithm>
#include <utility>

namespace sysfleet {

std::vector<RowRange> MissingRows(int64_t table_size, std::vector<RowRange> loaded) {
  std::sort(loaded.begin(), loaded.end(),
            [](const RowRange& a, const RowRange& b) { return a.first < b.first; });
  std::vector<RowRange> missing;
  int64_t next = 1;
  for (const RowRange& range : loaded) {
    if (range.first > next) missing.push_back({next, range.first - 1});
    next = std::max(next, range.last + 1);
  }
  if (next <= table_size) missing.push_back({next, table_size});
  return missing;
}

int64_t TotalRows(const std::vector<RowRange>& ranges) {
  int64_t total = 0;
  for (const RowRange& range : ranges) total += range.rows();
  return total;
}

RowCutter::RowCutter(std::vector<RowRange> ranges, int64_t chunk_rows)
    : ranges_(std::move(ranges)), chunk_rows_(chunk_rows) {}

std::optional<RowRange> RowCutter::Next() {
  if (current_ == ranges_.size()) return std::nullopt;
  RowRange& range = ranges_[current_];
  const RowRange chunk{range.first, std::min(range.last, range.first + chunk_rows_ - 1)};
  range.first = chunk.last + 1;
  if (range.first > range.last) ++current_;
  return chunk;
}

}  // namespace sysfleet
