// Ranges of rows: which are loaded, which are missing. Pure functions and values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace sysfleet {

/// Rows first to last, both included, numbered from 1.
struct RowRange {
  int64_t first = 0;
  int64_t last = 0;

  int64_t rows() const { return last - first + 1; }
  bool operator==(const RowRange&) const = default;
};

/// What of rows 1 to `table_size` is in none of `loaded`, in ascending order. `loaded` may be in
/// any order, but within 1 to `table_size`.
std::vector<RowRange> MissingRows(int64_t table_size, std::vector<RowRange> loaded);

int64_t TotalRows(const std::vector<RowRange>& ranges);

/// Cuts ranges into chunks, one at a time, from the first row to the last.
class RowCutter {
 public:
  RowCutter(std::vector<RowRange> ranges, int64_t chunk_rows);

  /// The next chunk: `chunk_rows` rows, fewer at the end of a range. Nothing once all are cut.
  std::optional<RowRange> Next();

 private:
  std::vector<RowRange> ranges_;
  int64_t chunk_rows_;
  size_t current_ = 0;
};

}  // namespace sysfleet
